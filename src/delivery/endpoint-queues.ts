/** The queues of all endpoints. */
import type { EpochMs } from '../core/time.ts'
import type { ClaimedDelivery, ClaimRequest, DeliveryLook } from '../store/delivery.ts'
import { EndpointQueue } from './endpoint-queue.ts'

export class EndpointQueues {
  private readonly queues = new Map<string, EndpointQueue>()

  get(endpointId: string): EndpointQueue | undefined {
    return this.queues.get(endpointId)
  }

  [Symbol.iterator](): Iterator<EndpointQueue> {
    return this.queues.values()
  }

  get underWay(): number {
    return this.sum(queue => queue.underWay)
  }

  get held(): number {
    return this.sum(queue => queue.held)
  }

  get items(): ClaimedDelivery[] {
    return [...this].flatMap(queue => queue.items)
  }

  claimRequests(): ClaimRequest[] {
    return [...this].flatMap(queue => queue.claimRequest() ?? [])
  }

  drop(): void {
    for (const queue of this) queue.drop()
  }

  /** Updates the queues to match the current endpoints. Returns the endpoints that are no longer in use. */
  see({ endpoints, isKnown }: DeliveryLook, now: EpochMs): string[] {
    const seen = new Set<string>()
    for (const { endpoint, ours, ...all } of endpoints) {
      // a process requests its share of the slices if any delivery is waiting
      const { hasFirst, againAt } = isKnown ? ours : all
      seen.add(endpoint.endpointId)
      let queue = this.queues.get(endpoint.endpointId)
      if (queue === undefined) {
        queue = new EndpointQueue(endpoint, performance.now())
        this.queues.set(endpoint.endpointId, queue)
      } else queue.update(endpoint, performance.now())
      if (hasFirst || (againAt !== null && againAt <= now)) queue.isExhausted = false
    }
    const unused: string[] = []
    for (const [endpointId, queue] of this.queues) {
      if (seen.has(endpointId)) continue
      queue.drop()
      if (queue.underWay > 0) continue
      this.queues.delete(endpointId)
      unused.push(endpointId)
    }
    return unused
  }

  private sum(count: (queue: EndpointQueue) => number): number {
    let sum = 0
    for (const queue of this) sum += count(queue)
    return sum
  }
}
