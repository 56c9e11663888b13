/** A loopback port that nothing listens on. */
export { freePort } from './postgres/server.mjs'
