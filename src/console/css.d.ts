/** Style sheets are imported so that the build finds them. */
declare module '*.css'
