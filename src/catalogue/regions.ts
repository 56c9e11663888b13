/** Regions that a link request may specify. See docs/interface/linking.md#linking-5. */
import { words } from '../core/text.ts'

/** All regions in the interface. `Provider.regions` lists the regions that a provider offers. */
export const REGIONS = words(
  'us eu de fr ca br ar cl co mx gb ie au nz nl at be bh ch cz dk eg es fi gr hr il it jo kw lb lu no om pl pt qa sa se si sk tr za in sg hk kr ph tw',
)

export type Region = (typeof REGIONS)[number]
