/** A disk with room for everything. */
export const ROOMY = { isShort: async () => false }
