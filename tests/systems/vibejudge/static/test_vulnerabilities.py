"""Faults that a person who looks for them would find, and code that only looks like them."""

from __future__ import annotations

import pytest
from tests.systems.vibejudge.static.support import facts_of

from tablewright.systems.vibejudge.static import bug_hunter
from tablewright.systems.vibejudge.static.results import Finding


def found_in(name: str, text: str) -> list[Finding]:
    return list(bug_hunter.security(facts_of({name: text})).findings)


FLASK = "from flask import request\n@app.route('/x')\ndef x():\n"
PYTHON = {
    "template of a visitor": (
        f"{FLASK}    name = request.args['name']\n"
        "    return render_template_string('Hi ' + name)\n",
        5,
    ),
    "template from an f-string": (
        f"{FLASK}    return render_template_string(f\"Hi {{request.args.get('n')}}\")\n",
        4,
    ),
    "path of a visitor": (f"{FLASK}    return open('up/' + request.args['f']).read()\n", 4),
    "path through a name": (
        f"{FLASK}    f = request.args.get('f')\n    p = os.path.join('up', f)\n"
        "    return send_file(p)\n",
        6,
    ),
    "address of a visitor": (f"{FLASK}    return requests.get(request.args['url']).text\n", 4),
    "host of a visitor": (f"{FLASK}    return httpx.get(f\"http://{{request.form['h']}}/\")\n", 4),
    "parameter of a handler": (
        "@app.get('/x')\nasync def x(url: str):\n    return await client.get(url)\n",
        3,
    ),
    "redirect": (f"{FLASK}    return redirect(request.args.get('next'))\n", 4),
    "markup": (f"{FLASK}    name = request.args['n']\n    return f'<h1>{{name}}</h1>'\n", 5),
    "upload": (f"{FLASK}    f = request.files['f']\n    f.save('up/' + f.filename)\n", 5),
    "operators": (f"{FLASK}    wanted = request.json\n    return db.users.find_one(wanted)\n", 5),
    "unsigned token": ("data = jwt.decode(token, options={'verify_signature': False})\n", 1),
    "signing key": ("app.secret_key = 'super secret'\n", 1),
    "entities": ("parser = etree.XMLParser(resolve_entities=True)\n", 1),
    "weak secret": ("reset_token = str(random.randint(100000, 999999))\n", 1),
    "archive": ("import tarfile\ntarfile.open(p).extractall('x')\n", 2),
    "code of a visitor": (f"{FLASK}    return str(eval(request.args['e']))\n", 4),
    "SQL by a name": (f'{FLASK}    q = f"SELECT a FROM t WHERE n = {{n}}"\n    db.execute(q)\n', 4),
}
OTHERS = {
    "address": (
        "a.js",
        "app.get('/x', async (req, res) => {\n  const { url } = req.query;\n"
        "  const page = await fetch(url);\n});\n",
        3,
    ),
    "path": (
        "a.js",
        "app.get('/x', (req, res) => {\n"
        "  res.sendFile(path.join(__dirname, 'files', req.params.name));\n});\n",
        2,
    ),
    "redirect": ("a.ts", "app.get('/x', (req, res) => res.redirect(req.query.next));\n", 1),
    "markup": ("a.js", "app.get('/x', (req, res) => res.send(`<h1>${req.query.n}</h1>`));\n", 1),
    "operators": ("a.js", "app.post('/x', (req, res) => User.find(req.body));\n", 1),
    "template": ("a.js", "app.post('/x', (req, res) => ejs.render(req.body.t));\n", 1),
    "unsigned token": ("a.js", "jwt.verify(token, key, { algorithms: ['none'] });\n", 1),
    "php include": ("a.php", "<?php include($_GET['page'] . '.php');\n", 1),
    "php path": ("a.php", "<?php $f = $_GET['f'];\necho file_get_contents('up/' . $f);\n", 2),
    "java path": (
        "A.java",
        'String name = request.getParameter("f");\nFile f = new File("/up/" + name);\n',
        2,
    ),
    "go address": ("a.go", 'target := r.URL.Query().Get("u")\nresp, err := http.Get(target)\n', 2),
    "go path": ("a.go", 'data, err := os.ReadFile("up/" + r.FormValue("f"))\n', 1),
}


@pytest.mark.parametrize("what", PYTHON)
def test_planted_fault_in_python_is_found_at_its_line(what: str) -> None:
    text, line = PYTHON[what]
    assert [each.line for each in found_in("a.py", text)] == [line]


@pytest.mark.parametrize("what", OTHERS)
def test_planted_fault_in_other_languages_is_found_at_its_line(what: str) -> None:
    name, text, line = OTHERS[what]
    assert [each.line for each in found_in(name, text)] == [line]


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("a.py", "exec('x = 1')\n"),
        ("a.py", "exec(compile('x = 1', 'a', 'exec'))\n"),
        ("a.py", 'help = f"for example: SELECT a FROM t WHERE b = {b}"\nprint(help)\n'),
        ("a.py", 'prompt = f"Write SQL such as SELECT a FROM t WHERE b = {b}"\nask(prompt)\n'),
        (
            "a.py",
            "marks = ','.join('?' * len(ids))\n"
            'db.execute(f"SELECT a FROM t WHERE b IN ({marks})", ids)\n',
        ),
        ("a.py", f"{FLASK}    return open(secure_filename(request.args['f'])).read()\n"),
        ("a.py", f"{FLASK}    return requests.get(f\"https://api.x.io/{{request.args['id']}}\")\n"),
        ("a.py", f"{FLASK}    n = int(request.args['n'])\n    return f'<b>{{n}}</b>'\n"),
        ("a.py", f"{FLASK}    return render_template('x.html', n=request.args['n'])\n"),
        ("a.py", "def load(path):\n    return open(path).read()\n"),
        ("a.py", "@app.get('/x')\ndef x(item: int):\n    return open(f'{item}.txt').read()\n"),
        (
            "a.py",
            "@app.delete('/x')\ndef x(session: Session, item_in: ItemIn, key: str):\n"
            "    item = session.get(Item, key)\n    session.delete(item)\n",
        ),
        ("a.py", "app.secret_key = os.environ['SECRET_KEY']\n"),
        ("a.js", "const page = await fetch(url);\n"),
        ("a.js", "app.get('/x', (req, res) => fetch(`${BASE}/items/${req.params.id}`));\n"),
        (
            "a.js",
            "app.get('/x', (req, res) => {\n  const name = path.basename(req.params.name);\n"
            "  res.sendFile(path.join(root, name));\n});\n",
        ),
        ("a.js", "// res.redirect(req.query.next)\n"),
        ("a.go", 'resp, err := http.Get("https://api.x.io")\n'),
    ],
)
def test_code_that_only_looks_like_a_fault_is_left_alone(name: str, text: str) -> None:
    assert [each for each in found_in(name, text) if each.kind != "open-handle"] == []


def test_exec_of_a_framework_is_a_small_fault() -> None:
    text = "def make(source):\n    exec(compile(source, 'made', 'exec'), {})\n"
    assert [each.severity for each in found_in("a.py", text)] == ["low"]


def test_names_of_tables_in_sql_are_a_small_fault() -> None:
    text = 'db.execute(f"SELECT a FROM {TABLE} WHERE b = ?", (b,))\n'
    assert [each.severity for each in found_in("a.py", text)] == ["low"]
