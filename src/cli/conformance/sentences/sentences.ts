import type { Rule } from '../rule.ts'
import { CALLBACK_SECTIONS } from './callbacks.ts'
import { CHAT_SECTIONS } from './chat.ts'
import { MEDIA_SECTIONS } from './media.ts'
import { open, type Section, type Sentence, seen, unseen } from './sentence.ts'

const SERVICE_SECTIONS: readonly Section[] = [
  {
    title: 'Service',
    sentences: [
      seen('all paths are below a base URL that ends in `/api/v1`', 'base-version'),
      seen('bodies are JSON', 'bodies-json'),
      seen('every endpoint requires a key as `Authorization: Bearer`', 'auth-key'),
      seen('a missing or wrong key is 401 at the video endpoint', 'auth-key'),
      seen('money is in roubles, taken from the account’s balance', 'chat-cost', 'task-charge'),
      seen('`GET /balance` returns the balance', 'balance-read'),
      open('how a key is issued, the shape of a balance, whether limits are by key or by account'),
    ],
  },
  {
    title: 'Limits',
    sentences: [
      seen('30 chats a minute', 'limit-chats'),
      seen('a minute later there are 30 again', 'limit-over'),
      seen('3 clips a minute', 'limit-clips'),
      seen('10 callback secrets a minute', 'limit-secrets'),
      seen('one poll in 3 seconds', 'limit-polls'),
      open('limits of messages, of their size, and of polls a minute'),
    ],
  },
  {
    title: 'Versioning',
    sentences: [
      seen('the version is in the path', 'base-version'),
      seen('`cost_coins` is kept for old clients', 'chat-cost-coins'),
      unseen('`cost_coins` is deprecated', 'a word to clients; no answer shows it'),
      open('deprecation policy and later versions'),
    ],
  },
]

/** Every sentence of the interface document. */
export const SECTIONS: readonly Section[] = [
  ...SERVICE_SECTIONS,
  ...CHAT_SECTIONS,
  ...MEDIA_SECTIONS,
  ...CALLBACK_SECTIONS,
]

/** What makes a rule seen, for people. */
const NEEDS: Readonly<Record<string, string>> = {
  nothing: '',
  chat: 'chats',
  task: 'a task',
  video: '`--video`',
  receiver: '`--callback-url`',
  limits: '`--limits`',
  'other key': '`--other-key`',
  'private name': '`--private-name`',
}

/** Writes the table of sentences in Markdown: each with its rules and what they need, or why none can judge it. */
export function writeSentences(rules: readonly Rule[]): string {
  const needOf = new Map(
    rules.map(({ id, needs }) => [id, NEEDS[needs] ?? `\`--provoke ${needs}\``]),
  )
  const lines = SECTIONS.flatMap(({ title, sentences }) => [
    `| **${title}** | | |`,
    ...sentences.map((sentence) => writeSentence(sentence, needOf)),
  ])
  return ['| sentence | rules | needs |', '| --- | --- | --- |', ...lines].join('\n')
}

function writeSentence(sentence: Sentence, needOf: ReadonlyMap<string, string>): string {
  if ('unseen' in sentence) return `| ${sentence.says} | – | ${sentence.unseen} |`
  const { says, rules } = sentence
  const needs = [...new Set(rules.map((id) => needOf.get(id) ?? ''))].filter((need) => need !== '')
  return `| ${says} | ${rules.map((id) => `\`${id}\``).join(', ')} | ${needs.join(', ')} |`
}
