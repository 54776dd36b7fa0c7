/** Those who are in a new playground, and their group. */
export const YOU = 1001
export const COLLEAGUE = 1002
export const ADMIN = 1003
export const TEAM = -1_001_000_000_001
