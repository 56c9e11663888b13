/** Tests that show each rule of docs/interface, by the rule's id. */
export const rules: Readonly<Record<string, readonly string[]>>
