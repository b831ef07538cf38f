# who may call each route, probed against the document
import asyncio, re, sys
sys.path.insert(0, "/work/main")
from tests.docs.markdown import names, section, table
from tests.service.support import asgi
from tablewright.service.auth import Principal
from tablewright.systems.sentiment.system import system
from tablewright.testing.backends import *
import tablewright.testing.backends as b
PLACES={"article_id":"file:0123456789abcdef","tag":"none","rule_id":"none","alert_id":"2026-11-20T11:00:00.000Z:none","name":"none","job_id":"01M7GETFJBJ19ZB4V8E9DZJR7M","key_id":"none","handle":"none"}
rows=[(names(r[0])[0].split(" "), set(r[1].split(", "))) for r in table(section("docs/sentiment-api.md","## Routes"),"Route")]
import pytest
def test_who(tablewright_backend):
    async def go():
        async with asgi(system, tablewright_backend) as (client, runtime):
            doc=(await client.get("/sentiment/openapi.json")).json()
            there={(m.upper(),p) for p,f in doc["paths"].items() for m in f}
            listed={(m,p) for (m,p),_ in rows}
            print("missing", there-listed, "extra", listed-there)
            client.base_url=client.base_url.join("/sentiment/")
            t=Principal("tests","Tests","system"); who={}
            for role in system.roles:
                _,text=await runtime.auth.api_keys.create(t,name=role,roles=[role]); who[role]={"Authorization":f"Bearer {text}"}
            for (m,p),said in rows:
                if p.endswith("/stream"): continue
                ok=set()
                for role,h in who.items():
                    a=await client.request(m,p.format(**PLACES),json=None if m=="GET" else {},headers={"If-Match":'"999"',**h})
                    assert a.status_code<500,(p,a.text)
                    if a.status_code not in (401,403): ok.add(role)
                want=set(said)
                if "all" in want: want=(want-{"all"})|{"viewer","analyst","operator","admin"}
                if ok!=want: print("WHO",m,p,ok,want)
    asyncio.run(go())
