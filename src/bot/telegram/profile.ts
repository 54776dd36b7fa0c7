import type { Api } from 'grammy'
import type { PrismaClient } from '../../platform/database/generated/client.ts'
import { LANGUAGES, type Language } from '../texts/texts.ts'

type ProfileApi = Pick<
  Api,
  | 'getMyName'
  | 'setMyName'
  | 'getMyDescription'
  | 'setMyDescription'
  | 'getMyShortDescription'
  | 'setMyShortDescription'
>

export interface ProfileDeps {
  api: ProfileApi
  textOf(part: ProfilePart, language: Language): string
  prisma: Pick<PrismaClient, 'setting'>
}

export type ProfilePart = 'name' | 'short_description' | 'description'

/** English is set without a language, for users who read neither. */
type InLanguage = { language_code?: Language }

interface Part {
  name: ProfilePart
  read(where: InLanguage): Promise<string>
  write(text: string, where: InLanguage): Promise<unknown>
}

/** Publishes the bot's name and descriptions if they changed. If the operator set one, all of its kind stay. */
export async function publishProfile({ api, textOf, prisma }: ProfileDeps): Promise<void> {
  const parts: readonly Part[] = [
    {
      name: 'description',
      read: async (where) => (await api.getMyDescription(where)).description,
      write: (text, where) => api.setMyDescription(text, where),
    },
    {
      name: 'short_description',
      read: async (where) => (await api.getMyShortDescription(where)).short_description,
      write: (text, where) => api.setMyShortDescription(text, where),
    },
    {
      name: 'name',
      read: async (where) => (await api.getMyName(where)).name,
      write: (text, where) => api.setMyName(text, where),
    },
  ]
  for (const part of parts) await publishPart(part)

  async function publishPart(part: Part): Promise<void> {
    const wanted = LANGUAGES.map((language) => textOf(part.name, language))
    const rows = await Promise.all(
      LANGUAGES.map((code) => prisma.setting.findUnique({ where: whereOf(part, code) })),
    )
    const before = rows.map((row) => row?.value)
    // If a language has no text, Telegram may return the text without a language.
    const ours = new Set<string | undefined>(['', ...wanted, ...before])
    for (const [index, language] of LANGUAGES.entries()) {
      const text = wanted[index] ?? ''
      if (before[index] === text) continue
      const where = language === 'en' ? {} : { language_code: language }
      const shown = await part.read(where)
      if (!ours.has(shown)) return
      if (shown !== text) await part.write(text, where)
      const setting = { ...whereOf(part, language), value: text }
      await prisma.setting.upsert({
        where: whereOf(part, language),
        create: setting,
        update: setting,
      })
    }
  }
}

function whereOf({ name }: Part, language: Language): { name: string } {
  return { name: `published ${name} ${language}` }
}
