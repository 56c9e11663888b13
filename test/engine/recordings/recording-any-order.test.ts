/** Whatever happens during a recording, in any order, the replay gives the same IDs and bytes. */
import fc from 'fast-check'
import { expect, it } from 'vitest'
import { times } from '../../kit/effort.ts'
import { openHarness } from '../../kit/harness.ts'
import { seed } from '../../kit/seed.ts'
import { Mover, moves } from './recording-moves.ts'
import { Recorder, replayed, seen } from './recording-tools.ts'

const numRuns = times(3)

it('replays any recording to the same IDs and bytes', async () => {
  const before = moves(0, 4)
  await fc.assert(
    fc.asyncProperty(before, moves(6, 24), async (earlier, recorded) => {
      const original = await openHarness()
      const mover = new Mover(original)
      // start with some users, so that most moves have one to act on
      for (const each of [{ kind: 'create', who: 0, what: 1 } as const, ...earlier]) await mover.make(each)
      const recorder = await Recorder.start(original)
      for (const [i, each] of [{ kind: 'create', who: 0, what: 2 } as const, ...recorded].entries()) {
        await mover.make(each)
        if (i % 5 === 4) await recorder.take()
      }
      const text = await recorder.stop()
      // the copy's clock is frozen where the recording ended
      await original.call('clock.set', { body: { freeze: true } })
      const copy = await replayed(text)
      expect(await seen(copy)).toEqual(await seen(original))
      await Promise.all([original.engine.close(), copy.engine.close()])
    }),
    { seed, numRuns, endOnFailure: false },
  )
}, 240_000)
