/** Supervises the processes that test flips: a process that is silent for too long hangs, and one that exits has crashed. */
import { type ChildProcess, fork } from 'node:child_process'
import type { Base, Flip, Verdict } from './child.ts'

/** On a busy machine a flip takes up to a second. */
const LONGEST_MS = 60_000

export type Fate = Verdict | 'hangs' | 'crashes'

export class Judge {
  private child: ChildProcess | undefined
  private readonly script: string
  private readonly bases: readonly Base[]

  constructor(script: string, bases: readonly Base[]) {
    this.script = script
    this.bases = bases
  }

  async judge(flip: Flip): Promise<Fate> {
    if (this.child === undefined) {
      this.child = fork(this.script, [], { serialization: 'advanced', stdio: ['ignore', 'ignore', 'inherit', 'ipc'] })
      const begun = await this.ask({ bases: this.bases })
      if (begun !== 'ready') throw new Error(`a judge does not start: ${JSON.stringify(begun)}`)
    }
    return (await this.ask({ flip })) as Fate
  }

  close(): void {
    this.child?.kill('SIGKILL')
    this.child = undefined
  }

  private ask(message: object): Promise<unknown> {
    const child = this.child as ChildProcess
    return new Promise((resolve, reject) => {
      const over = setTimeout(() => end('hangs'), LONGEST_MS)
      const end = (fate: 'hangs' | 'crashes'): void => {
        clearTimeout(over)
        child.removeAllListeners()
        this.close()
        resolve(fate)
      }
      child.once('exit', () => end('crashes'))
      child.once('message', ({ answer, failed }: { answer?: unknown; failed?: string }) => {
        clearTimeout(over)
        child.removeAllListeners()
        if (failed === undefined) resolve(answer)
        else reject(new Error(failed))
      })
      child.send(message)
    })
  }
}
