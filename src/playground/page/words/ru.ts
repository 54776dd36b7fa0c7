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
    save: 'Сохранить изменение',
    start: 'Запустить',
    unblock: 'Разблокировать',
    closedTopic: 'Эта тема закрыта',
    channel: 'Здесь пишут только администраторы канала',
    replyTo: (name) => `В ответ ${name}`,
    editing: 'Изменить сообщение',
    endReply: 'Не отвечать',
    endEdit: 'Оставить сообщение как есть',
    commands: 'Команды',
    people: 'Кого упомянуть',
    splitInto: (number) =>
      `Слишком длинно для одного: уйдёт ${count(number, { one: 'сообщение', few: 'сообщения', other: 'сообщений' })}`,
    keyboard: 'Клавиатура бота',
    showKeyboard: 'Показать клавиатуру бота',
    hideKeyboard: 'Скрыть клавиатуру бота',
    cannotShare: 'Площадка не может передать то, о чём просит эта кнопка.',
    attach: 'Прикрепить файлы',
    attached: (number) =>
      `Отправить ${count(number, { one: 'файл', few: 'файла', other: 'файлов' })}`,
    drop: 'Отпустите файлы, чтобы отправить',
    addMore: 'Добавить',
    remove: (name) => `Убрать ${name}`,
    caption: 'Подпись',
    captionOver: (number) =>
      `Длиннее на ${count(number, { one: 'символ', few: 'символа', other: 'символов' })}`,
    sendAs: 'Как отправить',
    ways: { media: 'Для просмотра', file: 'Файлом', voice: 'Голосовым сообщением' },
    emptyFile: (name) => `Файл ${name} пуст: Telegram не отправляет пустые файлы.`,
    largeFile: (name, size, most) =>
      `Файл ${name} слишком велик: ${size}, можно не больше ${most}.`,
    notSent: (name, why) => `Файл ${name} не отправлен. ${why}`,
    uploads: 'Отправляется',
    cancelUpload: (name) => `Не отправлять ${name}`,
    kinds: {
      photo: 'Фото',
      video: 'Видео',
      audio: 'Аудио',
      voice: 'Голосовое сообщение',
      document: 'Файл',
      other: 'Сообщение',
    },
  },

  panel: {
    title: 'За чатом',
  },

  miniApp: {
    title: 'Mini App',
  },
}
