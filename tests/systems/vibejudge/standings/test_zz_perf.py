import time
from tests.systems.vibejudge.standings.support import scored
from tests.systems.vibejudge.standings.test_scorecards import only
from tests.systems.vibejudge.support import run,courtroom_on,organizer,hackathon,moved
def test_perf(engine_backend, clock):
    async def main():
        async with courtroom_on(engine_backend, clock) as c:
            olga = await organizer(c); made = await hackathon(c, olga)
            for _ in range(300): await scored(c, made)
            await moved(c, made, "completed", rubric=only(made, "bug_hunter"))
            t=time.perf_counter(); print(await c.scorecards.rescore(olga, made.hack_id), time.perf_counter()-t)
            t=time.perf_counter(); print(await c.scorecards.rescore(olga, made.hack_id), time.perf_counter()-t)
            t=time.perf_counter(); (await c.standings.stats(olga, made.hack_id)); print("stats",time.perf_counter()-t)
            page = await c.standings.leaderboard(made, 50)
            t=time.perf_counter(); 
            for _ in range(20): await c.standings.leaderboard(made, 50, page.cursor)
            print("board",(time.perf_counter()-t)/20)
            t=time.perf_counter(); 
            s=page[0].row
            for _ in range(20): await c.scorecards.scorecard(olga, made.hack_id, s.sub_id)
            print("card",(time.perf_counter()-t)/20)
    run(main())
