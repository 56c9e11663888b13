/** What kind of device a record came from, as far as the export tells. Names of devices are personal: none is kept. */
import type { SourceType } from '../../../catalogue/source-types.ts'
import type { ImportContext } from '../importer.ts'
import { decodeXml, type XmlAttributes } from '../xml/attributes.ts'
import { InternedTexts } from '../xml/interned-texts.ts'
import { PLACES } from '../xml/names.ts'

/** The slug the data of an export are stored under, unless the caller says otherwise. */
export const APPLE_PROVIDER = 'apple_health_kit'

/** The key of the metadata that say, by `1`, that somebody typed a value in. */
export const USER_ENTERED = 'HKWasUserEntered'

const WATCH = /\bwatch\b/i
const PHONE = /\b(?:iphone|ipad|ipod)\b/i
const COMMA = 0x2c

/** What the caller of an import may say of its data: in place of what the export tells. */
type Wishes = Pick<ImportContext, 'provider' | 'sourceType'>

/**
 * Tells a watch, a phone (iPad and iPod too) and an app apart. The device decides where the record names one of these; then
 * the name of the source does, which starts as "Apple Watch" or "iPhone" under any name of its owner; any other named source
 * is an app. A source type that the caller wishes for is that of everything.
 */
export class SourceTypes {
  readonly provider: string
  /** Of a value that somebody typed in, on whatever device: no sensor measured it. */
  readonly typedIn: string
  /** Of a day's summary, which the platform makes of all devices. */
  readonly merged: string
  private readonly wished: string | null
  private readonly devices = new InternedTexts(text => deviceTypeOf(decodeXml(text)))
  private readonly names = new InternedTexts(text => sourceNameType(decodeXml(text)))

  constructor({ provider, sourceType }: Wishes) {
    this.provider = provider ?? APPLE_PROVIDER
    this.wished = sourceType
    this.typedIn = sourceType ?? ('app' satisfies SourceType)
    this.merged = sourceType ?? ('multiple_sources' satisfies SourceType)
  }

  of(attributes: XmlAttributes): string {
    if (this.wished !== null) return this.wished
    const device = attributes.at(PLACES.device)
    const known = device === -1 ? undefined : this.deviceType(attributes, device)
    if (known !== undefined) return known
    const name = attributes.at(PLACES.sourceName)
    if (name === -1) return 'unknown'
    return this.names.of(attributes.window, attributes.valueFrom(name), attributes.valueTo(name))
  }

  /** The address that leads a device, `HKDevice: 0x…`, differs by record and says nothing: it is left out. */
  private deviceType(attributes: XmlAttributes, index: number): SourceType | undefined {
    const { window } = attributes
    const from = attributes.valueFrom(index)
    const to = attributes.valueTo(index)
    const comma = window.search(COMMA, from, to)
    return this.devices.of(window, comma < to ? comma : from, to)
  }
}

/** Watch or phone, where a device text names one. */
function deviceTypeOf(device: string): SourceType | undefined {
  if (WATCH.test(device)) return 'watch'
  return PHONE.test(device) ? 'phone' : undefined
}

/** What the name of a source speaks of. */
export function sourceNameType(name: string): SourceType {
  return deviceTypeOf(name) ?? (name.trim() === '' ? 'unknown' : 'app')
}
