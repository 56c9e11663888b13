/** A port of loopback that nothing listens on. */
export { freePort } from './postgres/server.mjs'
