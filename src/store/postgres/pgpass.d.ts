/** Types for pgpass, which does not include its own. */
declare module 'pgpass' {
  interface Place {
    readonly host: string
    readonly port: number
    readonly database: string
    readonly user: string
  }

  /** Calls back with the password in the first matching line, or with undefined. */
  function pgpass(connection: Place, callback: (password: string | undefined) => void): void

  namespace pgpass {
    /** Sets the stream that receives warnings about the file. Returns the previous stream. */
    function warnTo(stream: NodeJS.WritableStream): NodeJS.WritableStream
  }

  export = pgpass
}
