/**
 * Counts the bytes of all responses that this process is receiving or has not read yet. If there are too many, the largest response of the
 * team and provider with the most bytes is dropped, so that a provider that sends endless data does not use up the memory of others.
 */
import { ProviderError } from '../../../connectors/provider-session.ts'

const MIB = 1024 * 1024
/** Maximum number of bytes. The pages of all pulls that receive responses at the same time stay far below it. */
const MOST_BYTES = 256 * MIB

interface Arriving {
  readonly share: string
  bytes: number
  readonly giveUp: () => void
}

export interface ArrivingBytes {
  add(bytes: number): void
  /** Called when the response has been received or read, or is no longer awaited. */
  end(): void
}

const all = new Set<Arriving>()
let total = 0

/** Counts a response's bytes. `share` identifies the team and provider. `giveUp` is called when others need the memory. */
export function arrivingBytes(share: string, giveUp: () => void): ArrivingBytes {
  const own: Arriving = { share, bytes: 0, giveUp }
  all.add(own)
  return {
    add(bytes) {
      if (!all.has(own)) return
      own.bytes += bytes
      total += bytes
      while (total > MOST_BYTES) {
        const largest = largestOfLargestShare()
        forget(largest)
        largest.giveUp()
      }
    },
    end: () => forget(own),
  }
}

/** Returns the failure for a dropped response. */
export function tooMuch(provider: string): ProviderError {
  return new ProviderError('unavailable', `${provider} sent more data at once than fits in memory.`)
}

function forget(one: Arriving): void {
  if (all.delete(one)) total -= one.bytes
}

function largestOfLargestShare(): Arriving {
  const shares = new Map<string, number>()
  for (const { share, bytes } of all) shares.set(share, (shares.get(share) ?? 0) + bytes)
  const [first] = [...all].sort((a, b) => (shares.get(b.share) ?? 0) - (shares.get(a.share) ?? 0) || b.bytes - a.bytes)
  return first as Arriving // it exists, because bytes have been counted
}
