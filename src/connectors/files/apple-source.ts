/** What kind of device a record came from, as far as the export tells. Names of devices are personal: none is kept. */
import type { SourceType } from '../../catalogue/source-types.ts'
import { decodeXml, type XmlAttributes } from './apple-attributes.ts'
import { InternedTexts } from './interned-texts.ts'

/** The slug the data of an export are stored under. */
export const APPLE_PROVIDER = 'apple_health_kit'

const WATCH = /\bwatch\b/i
const PHONE = /\b(?:iphone|ipad|ipod)\b/i
const COMMA = 0x2c

/**
 * Tells a watch, a phone (iPad and iPod too) and an app apart. The device decides where the record names one of these; then
 * the name of the source does, which starts as "Apple Watch" or "iPhone" under any name of its owner; any other named source
 * is an app.
 */
export class SourceTypes {
  private readonly devices = new InternedTexts(text => deviceTypeOf(decodeXml(text)))
  private readonly names = new InternedTexts(text => sourceNameType(decodeXml(text)))

  of(attributes: XmlAttributes): SourceType {
    const device = attributes.find('device')
    const known = device === -1 ? undefined : this.deviceType(attributes, device)
    if (known !== undefined) return known
    const name = attributes.find('sourceName')
    if (name === -1) return 'unknown'
    return this.names.of(attributes.bytes, attributes.valueFrom(name), attributes.valueTo(name))
  }

  /** The address that leads a device, `HKDevice: 0x…`, differs by record and says nothing: it is left out. */
  private deviceType(attributes: XmlAttributes, index: number): SourceType | undefined {
    const { bytes } = attributes
    const to = attributes.valueTo(index)
    let from = attributes.valueFrom(index)
    while (from < to && bytes[from] !== COMMA) from++
    return this.devices.of(bytes, from === to ? attributes.valueFrom(index) : from, to)
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
