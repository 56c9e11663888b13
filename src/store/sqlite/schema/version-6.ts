/** Version 6 of the schema. */

/** A checksum in every row of user data. Null: a row of an older schema that was not written since. */
const CHECKSUMS = ''

/** The mark that the data folder and its database share. */
const IDENTITY = ''

/** Quotas of teams. Null: no limit. */
const QUOTAS = ''

/** First answers to requests with an idempotency key: by user where the operation names one, else by team. */
const IDEMPOTENCY = ''

/** Who made an endpoint, which decides the targets it may have. */
const TARGETS = ''

export const VERSION_6 = [CHECKSUMS, IDENTITY, QUOTAS, IDEMPOTENCY, TARGETS].join('\n')
