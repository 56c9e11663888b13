/** Compares two pictures in the browser, which can read PNG files. */
import type { Browser } from 'playwright-core'

export interface PictureDifference {
  /** Number of pixels that differ by more than antialiasing; infinite if the sizes differ. */
  readonly different: number
  /** The area of the different pixels, or the sizes. */
  readonly where: string
}

/** Difference between two color values, of 255, that a reader does not see. */
const TOLERANCE = 12

/**
 * Counts the pixels of each picture whose color is not between the darkest and the brightest of the nine around the same position in the
 * other picture. So letters and curves may be smoothed differently, but nothing may move by more than a pixel or change its color.
 */
export async function countDifferences(browser: Browser, was: Buffer, is: Buffer): Promise<PictureDifference> {
  const page = await browser.newPage()
  try {
    const files = [was, is].map(each => each.toString('base64'))
    return await page.evaluate<PictureDifference>(`(${compare})(${JSON.stringify(files)}, ${TOLERANCE})`)
  } finally {
    await page.close()
  }
}

/** Runs in the browser, as text, because the tests are compiled without the browser's types. */
const compare = `async (files, tolerance) => {
  const [was, is] = await Promise.all(files.map(async file => {
    const blob = new Blob([Uint8Array.from(atob(file), char => char.charCodeAt(0))])
    const bitmap = await createImageBitmap(blob)
    const { width, height } = bitmap
    const context = new OffscreenCanvas(width, height).getContext('2d')
    context.drawImage(bitmap, 0, 0)
    return { width, height, data: context.getImageData(0, 0, width, height).data }
  }))
  const size = ({ width, height }) => width + ' x ' + height
  if (size(was) !== size(is)) return { different: Infinity, where: size(is) + ' instead of ' + size(was) }
  const { width, height } = was
  const fits = (one, other, x, y) => {
    for (let channel = 0; channel < 3; channel++) {
      let [min, max] = [255, 0]
      for (let row = Math.max(0, y - 1); row <= Math.min(height - 1, y + 1); row++)
        for (let column = Math.max(0, x - 1); column <= Math.min(width - 1, x + 1); column++) {
          const value = other.data[4 * (row * width + column) + channel]
          if (value < min) min = value
          if (value > max) max = value
        }
      const value = one.data[4 * (y * width + x) + channel]
      if (value < min - tolerance || value > max + tolerance) return false
    }
    return true
  }
  let different = 0
  let [left, top, right, bottom] = [width, height, 0, 0]
  for (let y = 0; y < height; y++)
    for (let x = 0; x < width; x++) {
      if (fits(was, is, x, y) && fits(is, was, x, y)) continue
      different++
      left = Math.min(left, x)
      right = Math.max(right, x)
      top = Math.min(top, y)
      bottom = y
    }
  return { different, where: 'from ' + left + ', ' + top + ' to ' + right + ', ' + bottom }
}`
