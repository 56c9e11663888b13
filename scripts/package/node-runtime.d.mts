/** Returns the folder of a Node, which contains `bin/node`. */
export function nodeRuntime(major: 22 | 24): string
