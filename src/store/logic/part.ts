/**
 * Defines a part of the port as a table of its calls, each of which is created from the transaction that it runs: `{ find: read(findUser),
 * create: write(insertUser) }`. The part's type is derived from the table, so calls are not declared anywhere else. A call's contract is
 * its transaction's docblock.
 */
import type { UserId } from '../../core/ids.ts'
import type { Database } from './database.ts'
import type { Steps } from './steps.ts'
import { lockingUser } from './users/lock.ts'

/** Arguments of a call. They are passed on one by one, because a rest parameter would allocate an array for each call. */
type Arguments = readonly [a?: unknown, b?: unknown, c?: unknown, d?: unknown]
type Taking<R> = (a: unknown, b: unknown, c: unknown, d: unknown) => R

/** The fields of `this` in a call. */
interface OverDatabase {
  readonly db: Database
}

/** Returns a part's class. Its calls are created once, not for each store, because every audited call opens its own store. */
export function part<Calls extends object>(calls: Calls): new (db: Database) => Calls
export function part(calls: object): new (db: Database) => object {
  class Part implements OverDatabase {
    readonly db: Database

    constructor(db: Database) {
      this.db = db
    }
  }
  Object.assign(Part.prototype, calls)
  return Part
}

/** Runs a transaction on a single snapshot. */
export function read<Args extends Arguments, T>(transaction: (...args: Args) => Steps<T>): (...args: Args) => Promise<T>
export function read<T>(transaction: Taking<Steps<T>>): Taking<Promise<T>> {
  return function (this: OverDatabase, a, b, c, d) {
    return this.db.read(() => transaction(a, b, c, d))
  } as Taking<Promise<T>>
}

/** Runs a transaction that creates a user or does not write about any user. */
export function write<Args extends Arguments, T>(
  transaction: (...args: Args) => Steps<T>,
): (...args: Args) => Promise<T>
export function write<T>(transaction: Taking<Steps<T>>): Taking<Promise<T>> {
  return function (this: OverDatabase, a, b, c, d) {
    return this.db.write(() => transaction(a, b, c, d))
  } as Taking<Promise<T>>
}

/** Runs the same kind of transaction for a write that accompanies a call. */
export function writeAside<Args extends Arguments, T>(
  transaction: (...args: Args) => Steps<T>,
): (...args: Args) => Promise<T>
export function writeAside<T>(transaction: Taking<Steps<T>>): Taking<Promise<T>> {
  return function (this: OverDatabase, a, b, c, d) {
    return this.db.writeAside(() => transaction(a, b, c, d))
  } as Taking<Promise<T>>
}

/** Runs a transaction that writes a user's rows, after locking the user. The user is the first argument, or the result of `userOf`. */
export function writeAbout<Args extends readonly [UserId, ...unknown[]] & Arguments, T>(
  transaction: (...args: Args) => Steps<T>,
): (...args: Args) => Promise<T>
export function writeAbout<Args extends Arguments, T>(
  transaction: (...args: Args) => Steps<T>,
  userOf: (...args: Args) => UserId,
): (...args: Args) => Promise<T>
export function writeAbout<T>(transaction: Taking<Steps<T>>, userOf: Taking<UserId> = first): Taking<Promise<T>> {
  return function (this: OverDatabase, a, b, c, d) {
    return this.db.write(() => lockingUser(userOf(a, b, c, d), () => transaction(a, b, c, d)))
  } as Taking<Promise<T>>
}

/** Runs the same kind of transaction for a write that accompanies a call. */
export function writeAsideAbout<Args extends readonly [UserId, ...unknown[]] & Arguments, T>(
  transaction: (...args: Args) => Steps<T>,
): (...args: Args) => Promise<T>
export function writeAsideAbout<T>(transaction: Taking<Steps<T>>): Taking<Promise<T>> {
  return function (this: OverDatabase, a, b, c, d) {
    return this.db.writeAside(() => lockingUser(first(a), () => transaction(a, b, c, d)))
  } as Taking<Promise<T>>
}

/** Passes the database to a function that reads or writes in several transactions. */
export function onDatabase<Args extends Arguments, R>(run: (db: Database, ...args: Args) => R): (...args: Args) => R
export function onDatabase<R>(run: (db: Database, a: unknown, b: unknown, c: unknown, d: unknown) => R): Taking<R> {
  return function (this: OverDatabase, a, b, c, d) {
    return run(this.db, a, b, c, d)
  } as Taking<R>
}

function first(userId: unknown): UserId {
  return userId as UserId // the calls' types require a user ID
}
