"""The web console: one frame for all pages, and the pages that belong to no system.

===============  ==============================================================================
``front``        puts the console into the process: routes, files, the renderer, error pages
``model_front``  the same around one model, of which nothing runs; ``entrance`` is its door
``home_routes``  the first page, and the one where people sign in
``renderer``     templates into responses; implements :class:`tablewright.service.pages.Pages`
``frame``        what every page has around it: systems, navigation, crumbs, who is signed in
``assets``       scripts and styles under names that hold a hash, and what is missing of them
``formats``      money, numbers and times, for people
``explorer``     a model: picture, items, patterns to run, review, plan, table browser
``capacity``     what each pattern was planned to use, and what it uses
``reference``    a system's REST API, from its OpenAPI document
===============  ==============================================================================

Templates lie in ``templates``; ``own`` holds our styles and scripts, ``static`` what npm brought.
Nothing in a page is executed that is not one of these files.
"""
