import type { Feature } from '../../../contract/openai.ts'
import type { ProviderFailure } from '../failure.ts'

/**
 * The ways in which upstreams say that a model cannot do something at all, by what it is called there. They are looked
 * for in an explanation, from which a client's own words are left out.
 */
const UNSUPPORTED =
  /not support|unsupported|not (?:available|enabled|implemented)|unavailable|requires? (?:the )?-|no endpoints found/i
const NAMES: Readonly<Record<Feature, RegExp>> = {
  tools: /\btools?\b|\btool[_ -](?:choice|calls?|calling|use)\b|\bfunction[_ -]?call/i,
  json_object: /\bresponse_format\b|\bjson_object\b|\bjson mode\b/i,
  json_schema: /\bresponse_format\b|\bjson_schema\b|\bstructured outputs?\b/i,
}
/** Words about one of the client's definitions: another one may well be taken. */
const IS_OF_ONE = /\[\d+\]|\.\d+\.|\binvalid (?:schema|function)\b|\bin context\b/i
/** Statuses of such a refusal; some gateways find no upstream for it. */
const STATUSES: ReadonlySet<number | undefined> = new Set([400, 404, 405, 422, 500, 501])

/**
 * Knows what an upstream can do: what the operator declares, or what its answers show, for as long as this object lives.
 *
 * Once it has taken a request with a feature, no refusal is believed to be about the feature itself: a client whose
 * request is wrong takes it from nobody else.
 */
export function createSupport(declared?: readonly Feature[]) {
  const proven = new Set<Feature>()
  const lacking = new Set<Feature>()
  return { supports, taken, refused }

  function supports(feature: Feature): boolean {
    if (declared === undefined) return !lacking.has(feature)
    // Who can follow a schema can write JSON.
    return (
      declared.includes(feature) || (feature === 'json_object' && declared.includes('json_schema'))
    )
  }

  function taken(features: readonly Feature[]): void {
    for (const feature of features) proven.add(feature)
  }

  function refused(
    features: readonly Feature[],
    { status, explanation = '' }: Pick<ProviderFailure, 'status' | 'explanation'>,
  ): boolean {
    // The operator knows better.
    if (declared !== undefined) return false
    const isSo = STATUSES.has(status) && UNSUPPORTED.test(explanation)
    if (!isSo || IS_OF_ONE.test(explanation)) return false
    const feature = features.find((one) => NAMES[one].test(explanation))
    if (feature === undefined || proven.has(feature)) return false
    lacking.add(feature)
    return true
  }
}
