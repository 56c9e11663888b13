/** What a call asks for, as one hash: under an idempotency key it must be the same each time. */
import { createHash, type Hash } from 'node:crypto'
import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import type { ByteSource, Operation } from '../../contract/kernel/operation.ts'

/** An input whose upload is hashed as it is read. */
export interface Asked<Input> {
  readonly input: Input
  /** Of what was read of the upload so far; the JSON body otherwise. */
  readonly soFar: () => Uint8Array | string
  /** Reads what is left of the upload, and answers the same. */
  readonly whole: () => Promise<Uint8Array | string>
}

export async function askedFor<Input extends { readonly body: unknown }>(
  { bodyIsBytes }: Operation,
  input: Input,
): Promise<Asked<Input>> {
  if (!bodyIsBytes) {
    const text = JSON.stringify(input.body ?? null)
    return { input, soFar: () => text, whole: async () => text }
  }
  // an operation of bytes has no other body
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

/** Leaves a request's stream open when who reads it stops early: destroying it would cut the connection before the answer is out. */
async function* hashed(stream: AsyncIterable<Uint8Array>, hash: Hash): AsyncIterable<Uint8Array> {
  const pieces = stream instanceof Readable ? stream.iterator({ destroyOnReturn: false }) : stream
  for await (const piece of pieces as AsyncIterable<Uint8Array>) {
    hash.update(piece)
    yield piece
  }
}
