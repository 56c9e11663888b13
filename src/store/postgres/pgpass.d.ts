/** The package includes no types. */
declare module 'pgpass' {
  interface Place {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }

  /** Calls back with the password of the first line that matches, or with undefined. */
  function pgpass(place: Place, callback: (password: string | undefined) => void): void

  namespace pgpass {
    /** Sets where warnings about the file go. Returns the previous receiver. */
    function warnTo(stream: NodeJS.WritableStream): NodeJS.WritableStream
  }

  export = pgpass
}
