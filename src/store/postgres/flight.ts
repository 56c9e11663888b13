/**
 * Sends several prepared statements in one packet with one Sync, so that the server returns all results in one packet too. The driver sends
 * a Sync after every statement, and then the server wakes this process for each of them. If a statement fails, the server skips the
 * statements that follow it in the flight.
 */
import type { PoolClient, Query, Submittable } from 'pg'
import type { PreparedText } from './statement-texts.ts'

export interface StatementResult {
  readonly rows: readonly Readonly<Record<string, unknown>>[]
  /** First word of the server's message, such as INSERT. */
  readonly command: string
  /** Number of rows that were returned or changed. */
  readonly rowCount: number
}

/** A value as the driver sends it. */
export type SentValue = string | Buffer | null

/** The part of the driver's connection that a query uses. */
interface Connection {
  readonly stream: { cork(): void; uncork(): void }
  /** Texts of statements that the server has prepared, or is about to prepare, by name. */
  readonly parsedStatements: Record<string, string>
  readonly submittedNamedStatements: Record<string, string>
  parse(statement: { readonly name: string; readonly text: string }): void
  bind(values: { readonly statement: string; readonly values: readonly SentValue[] }): void
  describe(what: { readonly type: 'P' }): void
  execute(): void
  sync(): void
}

interface Field {
  readonly name: string
  readonly dataTypeID: number
}

/** Reads one column of a row. */
interface Column {
  readonly name: string
  readonly parse: (text: string) => unknown
}

interface Statement {
  readonly prepared: PreparedText
  readonly values: readonly SentValue[]
  columns: readonly Column[] | undefined
  readonly rows: Record<string, unknown>[]
  settle: { readonly resolve: (result: StatementResult) => void; readonly reject: (error: unknown) => void }
}

const NO_COLUMNS: readonly Column[] = []

/** Result columns of each connection's statements by name. They never change, because a statement lists its columns. */
const described = new WeakMap<object, Map<string, readonly Column[]>>()

/** Statements that are sent together when the driver is given them. */
export interface Flight extends Submittable {
  /** Returns the result once the flight has been sent and the server has responded. */
  add(prepared: PreparedText, values: readonly SentValue[]): Promise<StatementResult>
}

export type NewFlight = (client: PoolClient) => Flight

export async function loadFlights(): Promise<NewFlight> {
  const { default: pg } = await import('pg')
  return flightsOf(pg.Query)
}

/** The driver accepts only its own queries on a connection that pipelines. */
function flightsOf(DriverQuery: typeof Query): NewFlight {
  /** Overrides every method that the driver calls on a query. */
  class DriverFlight extends DriverQuery implements Flight {
    // the driver marks this statement as prepared, or as not prepared, when the server responds
    name = ''
    text = ''
    /** The driver replaces it to stop its timer. */
    callback: (error?: unknown) => void = () => {}
    private readonly statements: Statement[] = []
    private readonly parserOf: (type: number) => (text: string) => unknown
    private columns = new Map<string, readonly Column[]>()
    /** Index of the statement whose response is next. */
    private at = 0

    constructor(client: PoolClient) {
      super('')
      this.parserOf = type => client.getTypeParser(type) as (text: string) => unknown // results are text
    }

    add(prepared: PreparedText, values: readonly SentValue[]): Promise<StatementResult> {
      return new Promise((resolve, reject) => {
        this.statements.push({ prepared, values, columns: undefined, rows: [], settle: { resolve, reject } })
      })
    }

    override submit = (driver: unknown): null => {
      const connection = driver as Connection // more than the driver's types declare
      const { stream, parsedStatements, submittedNamedStatements } = connection
      this.columns = described.get(connection) ?? this.columns
      described.set(connection, this.columns)
      this.announce()
      stream.cork()
      try {
        for (const statement of this.statements) {
          const { name, text } = statement.prepared
          if (parsedStatements[name] === undefined && submittedNamedStatements[name] === undefined) {
            connection.parse({ name, text })
            submittedNamedStatements[name] = text
          }
          connection.bind({ statement: name, values: statement.values })
          statement.columns = this.columns.get(name)
          if (statement.columns === undefined) connection.describe({ type: 'P' })
          connection.execute()
        }
        connection.sync()
      } finally {
        stream.uncork()
      }
      return null
    }

    handleRowDescription({ fields }: { readonly fields: readonly Field[] }): void {
      const statement = this.statements[this.at]
      if (statement === undefined) return
      statement.columns = fields.map(({ name, dataTypeID }) => ({ name, parse: this.parserOf(dataTypeID) }))
    }

    handleDataRow({ fields }: { readonly fields: readonly (string | null)[] }): void {
      const statement = this.statements[this.at]
      if (statement === undefined) return
      const row: Record<string, unknown> = {}
      let i = 0
      for (const { name, parse } of statement.columns ?? NO_COLUMNS) {
        const text = fields[i++] ?? null
        row[name] = text === null ? null : parse(text)
      }
      statement.rows.push(row)
    }

    handleCommandComplete({ text }: { readonly text: string }): void {
      const statement = this.statements[this.at++]
      if (statement === undefined) return
      const { prepared, columns, rows, settle } = statement
      this.columns.set(prepared.name, columns ?? NO_COLUMNS)
      const end = text.lastIndexOf(' ')
      settle.resolve({ rows, command: text.split(' ', 1)[0] as string, rowCount: Number(text.slice(end + 1)) || 0 })
      this.announce()
    }

    handleReadyForQuery(): void {
      this.callback()
    }

    handleError(error: unknown, connection: Connection): void {
      // the server has not prepared the statements that it skips
      for (const { prepared, settle } of this.statements.slice(this.at)) {
        delete connection.submittedNamedStatements[prepared.name]
        settle.reject(error)
      }
      this.at = this.statements.length
      this.callback(error)
    }

    private announce(): void {
      const next = this.statements[this.at]
      if (next === undefined) return
      this.name = next.prepared.name
      this.text = next.prepared.text
    }
  }

  return client => new DriverFlight(client)
}
