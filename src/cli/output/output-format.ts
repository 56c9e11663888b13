/** Determines the format of a response that can go to a file from --output, --json, --chart and the file extension. */
import { ServiceError } from '../../core/errors.ts'

export interface FormatFlags<Format> {
  /** The format from the command line itself; undefined if none was given. */
  readonly formatFlag: Format | undefined
  /** The format from an environment variable, or the default for a terminal or a pipe. */
  readonly otherwise: Format
  readonly chart: boolean
  /** The -o file. */
  readonly out: string | undefined
}

/** Throws ServiceError `usage` for --chart together with another format. */
export function checkChart({ chart, formatFlag }: Pick<FormatFlags<string>, 'chart' | 'formatFlag'>): void {
  if (!chart || formatFlag === undefined) return
  throw new ServiceError('usage', `--chart and --output ${formatFlag} cannot be used together.`, {
    suggestions: ['Use --output svg to get the chart as a picture.'],
  })
}

/**
 * Throws ServiceError `usage` if the file extension does not match the requested format. `formats` maps extensions to formats; other
 * extensions are allowed with any format.
 */
export function checkExtension(file: string, requested: string, formats: Readonly<Record<string, string>>): void {
  const extension = fileExtension(file)
  const meant = formats[extension]
  if (meant === undefined || meant === requested) return
  throw new ServiceError('usage', `--output ${requested} does not match the file extension .${extension}.`, {
    suggestions: [
      'Leave out --output to use the format of the extension.',
      `To write ${requested}, choose a file name with another extension.`,
    ],
  })
}

/** Returns the format for the file extension; undefined for an unknown extension. */
export function formatForExtension<Format>(
  file: string,
  formats: Readonly<Record<string, Format>>,
): Format | undefined {
  return formats[fileExtension(file)]
}

/** Returns the error for a file with an unknown extension. Does not throw. */
export function unknownExtension(endings: readonly string[], ...more: readonly string[]): ServiceError {
  const known = endings.map(each => `.${each}`)
  return new ServiceError('usage', `The -o file must end with ${known.join(', ')}.`, {
    suggestions: ['With --output FORMAT, the file can have any name.', ...more],
  })
}

function fileExtension(file: string): string {
  return /\.(\w+)$/.exec(file)?.[1]?.toLowerCase() ?? ''
}
