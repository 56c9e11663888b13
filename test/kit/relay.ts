/** A relay on a free loopback port that passes bytes on to another port, until it freezes like a machine that has lost power. */
import { once } from 'node:events'
import { type AddressInfo, connect, createServer, type Socket } from 'node:net'
import { atEndOfFile } from './end-of-file.ts'

export interface Relay {
  readonly port: number
  /** From now on nothing arrives, and nothing is refused. */
  freeze(): void
  /** New connections work again; those from before stay silent. */
  thaw(): void
}

/** Starts a relay; it ends with the test file. */
export async function startRelay(target: number): Promise<Relay> {
  let isFrozen = false
  const sockets = new Set<Socket>()
  /** Connections that the other port has accepted. */
  const targets = new Set<Socket>()
  const server = createServer(near => {
    sockets.add(near.on('error', () => {}))
    if (isFrozen) return
    const far = connect(target, '127.0.0.1').on('error', () => near.destroy())
    sockets.add(far)
    targets.add(far)
    near.pipe(far).pipe(near)
    near.on('close', () => far.destroy())
    far.on('close', () => isFrozen || near.destroy())
  }).listen(0, '127.0.0.1')
  await once(server, 'listening')
  atEndOfFile(() => {
    for (const socket of sockets) socket.destroy()
    server.close()
  })
  return {
    port: (server.address() as AddressInfo).port,
    freeze() {
      isFrozen = true
      for (const socket of sockets) socket.unpipe().pause()
      for (const socket of targets) socket.destroy()
    },
    thaw() {
      isFrozen = false
    },
  }
}
