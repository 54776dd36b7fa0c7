/** What an operator allows an API key. Null where nothing is said: no name, no end, no limit, every model. */
export interface KeyTerms {
  name: string | null
  /** From then on the key opens nothing. */
  expiresAt: Date | null
  /** What it may spend in all, open holds included; millionths of a rouble, >= 0. */
  spendLimitMicroRub: bigint | null
  /** What it may use, chats and generation alike; never empty. */
  models: readonly string[] | null
}

/** SQL: whether a key's row opens anything just now. */
export const KEY_IS_VALID_SQL = `
  (api_key.revoked_at IS NULL AND (api_key.expires_at IS NULL OR api_key.expires_at > now()))`

/** Whether a key with such terms may use a model. */
export function mayUse({ models }: Partial<Pick<KeyTerms, 'models'>>, model: string): boolean {
  return models?.includes(model) ?? true
}
