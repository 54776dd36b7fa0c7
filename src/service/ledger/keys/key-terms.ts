/** The terms that an operator sets for an API key. A null term means: no name, no end, no limit, every model. */
export interface KeyTerms {
  name: string | null
  /** The instant from which the key opens nothing. */
  expiresAt: Date | null
  /** The most it may spend in all, open holds included; millionths of a rouble, >= 0. */
  spendLimitMicroRub: bigint | null
  /** The models it may use, of chats and generation alike; never empty. */
  models: readonly string[] | null
}

/** SQL that is true where a key's row opens anything just now. */
export const KEY_IS_VALID_SQL = `
  (api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now()))`

/** Checks whether a key with such terms may use a model. */
export function mayUse({ models }: Partial<Pick<KeyTerms, 'models'>>, model: string): boolean {
  return models?.includes(model) ?? true
}
