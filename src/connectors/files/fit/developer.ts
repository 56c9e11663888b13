/** Reads fields that apps on a device add to messages. A field that corresponds to a profile field replaces that field. */
import { FIELD_DESCRIPTION } from './kinds.ts'
import type { FitMessage } from './message.ts'

interface Description {
  readonly baseType: number
  readonly scale: number
  readonly offset: number
  readonly nativeMessage: number
  readonly nativeField: number
}

/** Reads the field descriptions as they arrive, then finds the values. All other fields are ignored. */
export class FitDeveloperFields {
  private readonly known = new Map<number, Description>()

  learn(message: FitMessage): void {
    if (message.number !== FIELD_DESCRIPTION) return
    const [index, number, baseType] = [message.get(0), message.get(1), message.get(2)]
    const [nativeMessage, nativeField] = [message.get(14), message.get(15)]
    if (index === undefined || number === undefined || baseType === undefined) return
    if (nativeMessage === undefined || nativeField === undefined) {
      this.known.delete(fieldKey(index, number))
      return
    }
    const [scale, offset] = [message.get(6) || 1, message.get(7) ?? 0]
    this.known.set(fieldKey(index, number), { baseType, scale, offset, nativeMessage, nativeField })
  }

  /** Returns the value that replaces a field in the message, in that field's unit; undefined if there is none. */
  valueFor(message: FitMessage, field: number): number | undefined {
    for (const each of message.developerFields) {
      const description = this.known.get(fieldKey(each.developerIndex, each.number))
      if (description?.nativeMessage !== message.number || description.nativeField !== field) continue
      const raw = message.developerValue(each, description.baseType)
      if (raw !== undefined) return raw / description.scale - description.offset
    }
    return undefined
  }
}

function fieldKey(developerIndex: number, field: number): number {
  return developerIndex * 256 + field
}
