import type { MediaKind } from '../../../contract/tasks.ts'
import { joinList } from '../../locales/join-list.ts'
import type { TextVariables } from '../../locales/texts.ts'
import type { Reader } from './option-texts.ts'

/**
 * What the service sells besides answers, as texts name it: `kinds`, such as "clips and pictures", their `commands`,
 * such as "/video or /image", `everything` that the bot is for, and by which a text chooses its words: `offered`, which
 * is `some` or `none`, and `hasVideo`.
 *
 * @param kinds Undefined while they are not known: then none is promised.
 */
export function offerVariables(
  kinds: readonly MediaKind[] | undefined = [],
  { languageCode, texts }: Reader,
): TextVariables {
  const names = kinds.map((kind) => texts.t(languageCode, 'media-kind', { kind }))
  const commands = kinds.map((kind) => `/${kind}`)
  return {
    offered: kinds.length === 0 ? 'none' : 'some',
    hasVideo: String(kinds.includes('video')),
    kinds: joinList(languageCode, names),
    commands: joinList(languageCode, commands, 'disjunction'),
    everything: joinList(languageCode, [texts.t(languageCode, 'chat-kind'), ...names]),
  }
}
