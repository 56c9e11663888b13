/** The parts of the test kit that the console benchmark uses: this machine's browser, and a store with many users. */
export { browserPath, openBrowser } from '../../kit/browser.ts'
export { createManyUsers } from '../../kit/store/many-users.ts'
