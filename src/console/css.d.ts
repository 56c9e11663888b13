/** Style sheets, which modules import so that the build finds them. */
declare module '*.css'
