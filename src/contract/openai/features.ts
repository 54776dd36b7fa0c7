import type { OpenAiParameters } from './chat-request.ts'

/** What not every upstream can do. `json_object` and `json_schema` are forms of an answer. */
export const FEATURES = ['tools', 'json_object', 'json_schema'] as const
export type Feature = (typeof FEATURES)[number]

/** Lists what an upstream must be able to do for a request. */
export function featuresOf({
  tools,
  response_format,
}: Pick<OpenAiParameters, 'tools' | 'response_format'>): Feature[] {
  const form = response_format?.type
  return [
    ...(tools ? ['tools' as const] : []),
    ...(form === 'json_object' || form === 'json_schema' ? [form] : []),
  ]
}

/** The field of a request that asks for it. */
export function fieldOf(feature: Feature): 'tools' | 'response_format' {
  return feature === 'tools' ? 'tools' : 'response_format'
}
