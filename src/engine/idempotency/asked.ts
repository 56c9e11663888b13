/** Hashes a request. All requests with the same idempotency key must be identical. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ByteSource, Operation } from '../../contract/kernel/operation.ts'

/** An input whose upload is hashed while it is being read. */
export interface HashedInput<Input> {
  readonly input: Input
  /** Returns the hash of the part of the upload that has been read, or the JSON body. */
  readonly soFar: () => Uint8Array | string
  /** Reads the rest of the upload and returns its hash, or the JSON body. */
  readonly whole: () => Promise<Uint8Array | string>
}

export async function hashInput<Input extends { readonly body: unknown }>(
  { bodyIsBytes }: Operation,
  input: Input,
): Promise<HashedInput<Input>> {
  if (!bodyIsBytes) {
    const text = JSON.stringify(input.body ?? null)
    return { input, soFar: () => text, whole: async () => text }
  }
  // an operation that takes bytes has no other kind of body
  const source = input.body as ByteSource
  if (source.kind === 'file') {
    const hash = createHash('sha256')
    for await (const piece of createReadStream(source.path)) hash.update(piece as Uint8Array)
    const digest = hash.digest()
    return { input, soFar: () => digest, whole: async () => digest }
  }
  const hash = createHash('sha256')
  const soFar = (): Uint8Array => hash.copy().digest()
  return {
    input: { ...input, body: { kind: 'stream', stream: hashed(source.stream, hash) } },
    soFar,
    whole: async () => {
      for await (const _ of hashed(source.stream, hash));
      return soFar()
    },
  }
}

/**
 * Hashes a stream while it is being read. If the reader stops early, a request's stream stays open, because destroying it would close the
 * connection before the response is sent.
 */
async function* hashed(stream: AsyncIterable<Uint8Array>, hash: Hash): AsyncIterable<Uint8Array> {
  const pieces = stream instanceof Readable ? stream.iterator({ destroyOnReturn: false }) : stream
  for await (const piece of pieces as AsyncIterable<Uint8Array>) {
    hash.update(piece)
    yield piece
  }
}
