/** What a bench of the console takes from the tests: the browser of this machine. */
export { browserPath, openBrowser } from '../../kit/browser.ts'
