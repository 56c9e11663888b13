/** Determines the kind of device that a record came from, if the export shows it. Device names are personal, so they are not stored. */
import type { SourceType } from '../../../catalogue/source-types.ts'
import type { ImportContext } from '../importer.ts'
import { decodeXml, type XmlAttributes } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import { SLOTS } from '../xml/names.ts'

/** Provider slug of imported data, unless the caller sets another one. */
export const APPLE_PROVIDER = 'apple_health_kit'

/** Metadata key. The value `1` means that a person entered the sample. */
export const USER_ENTERED = 'HKWasUserEntered'

const WATCH = /\bwatch\b/i
const PHONE = /\b(?:iphone|ipad|ipod)\b/i
const COMMA = 0x2c

/** Settings with which an import's caller may override the export. */
type Wishes = Pick<ImportContext, 'provider' | 'sourceType'>

/**
 * Distinguishes watches, phones (including iPads and iPods) and apps. A device that is a watch or a phone takes precedence. Otherwise, the
 * source name is used: it contains "Apple Watch" or "iPhone" regardless of the device's own name, and any other named source is an app. A
 * source type set by the caller applies to everything.
 */
export class SourceTypes {
  readonly provider: string
  /** Source type of a value that a person entered on any device, because no sensor measured it. */
  readonly typedIn: string
  /** Source type of a day's summary, which the platform merges from all devices. */
  readonly merged: string
  private readonly wished: string | null
  private readonly devices = new InternedTexts(text => detectDeviceType(decodeXml(text)))
  private readonly names = new InternedTexts(text => sourceNameType(decodeXml(text)))

  constructor({ provider, sourceType }: Wishes) {
    this.provider = provider ?? APPLE_PROVIDER
    this.wished = sourceType
    this.typedIn = sourceType ?? ('app' satisfies SourceType)
    this.merged = sourceType ?? ('multiple_sources' satisfies SourceType)
  }

  of(attributes: XmlAttributes): string {
    if (this.wished !== null) return this.wished
    const device = attributes.at(SLOTS.device)
    const known = device === -1 ? undefined : this.deviceType(attributes, device)
    if (known !== undefined) return known
    const name = attributes.at(SLOTS.sourceName)
    if (name === -1) return 'unknown'
    return this.names.of(attributes.window, attributes.valueFrom(name), attributes.valueTo(name))
  }

  /** Reads the device without the leading memory address (`HKDevice: 0x…`), which is meaningless and differs between records. */
  private deviceType(attributes: XmlAttributes, index: number): SourceType | undefined {
    const { window } = attributes
    const from = attributes.valueFrom(index)
    const to = attributes.valueTo(index)
    const comma = window.search(COMMA, from, to)
    return this.devices.of(window, comma < to ? comma : from, to)
  }
}

/** Returns watch or phone if the device text contains either word. */
function detectDeviceType(device: string): SourceType | undefined {
  if (WATCH.test(device)) return 'watch'
  return PHONE.test(device) ? 'phone' : undefined
}

/** Returns the source type suggested by a source name. */
export function sourceNameType(name: string): SourceType {
  return detectDeviceType(name) ?? (name.trim() === '' ? 'unknown' : 'app')
}
