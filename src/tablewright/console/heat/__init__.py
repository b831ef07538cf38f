"""Live partition heat: which partition keys of a running system are hot.

============  ================================================================================
``touches``   which partitions a request used, and how much of them, from its own answer
``hottest``   the hottest keys of one place, in little memory
``metering``  a transport that tells them; it is only there while somebody watches
``views``     what a page shows of it
============  ================================================================================

Requests are measured where they leave the client, so this process alone is seen. Nobody watching
means nothing in between: the system's own transport is put back.
"""
