/** The part of the test kit that the console benchmark uses: this machine's browser. */
export { browserPath, openBrowser } from '../../kit/browser.ts'
