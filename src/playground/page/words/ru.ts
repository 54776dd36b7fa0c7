import type { Words } from './en.ts'
import { countIn } from './plural.ts'

const count = countIn('ru')

/** Everything the page says, in Russian. */
export const ru: Words = {
  name: 'Русский',
  back: 'Назад',
  close: 'Закрыть',
  cancel: 'Отмена',
  more: 'Ещё',

  shell: {
    title: 'Площадка Kopeck',
    chats: 'Чаты',
    noChats: 'Чатов пока нет',
    choose: 'Выберите чат, чтобы увидеть переписку',
    starting: 'Открываю…',
    lost: 'Жду площадку…',
    members: (number) => count(number, { one: 'участник', few: 'участника', other: 'участников' }),
    bot: 'бот',
    panel: 'Что происходит за чатом',
    kinds: {
      photo: 'Фото',
      animation: 'GIF',
      video: 'Видео',
      video_note: 'Видеосообщение',
      voice: 'Голосовое сообщение',
      audio: 'Аудио',
      document: 'Файл',
      sticker: 'Стикер',
      location: 'Место',
      contact: 'Контакт',
      rich_message: 'Сообщение',
      other: 'Сообщение',
    },
    problems: {
      offline: 'Площадка не отвечает. Повторите, когда она вернётся.',
      refused: (status) => `Площадка отказала (HTTP ${status}).`,
      broken: 'На странице что-то пошло не так. Подробности — в консоли браузера.',
    },
  },

  message: {
    none: 'Здесь пока нет сообщений',
  },

  compose: {
    field: 'Сообщение',
    send: 'Отправить',
  },

  panel: {
    title: 'За чатом',
  },

  miniApp: {
    title: 'Mini App',
  },
}
