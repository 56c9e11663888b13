/** The path below which the service is reached, without a slash at its end: a proxy may put it under one. Usually empty. */
export const BASE = document.documentElement.dataset['base'] ?? ''
