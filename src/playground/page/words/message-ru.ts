import { countIn } from '../../../platform/page/plural.ts'
import type { message as en } from './message-en.ts'

const count = countIn('ru')

/** The words of a chat's messages, in Russian. */
export const message: typeof en = {
  none: 'Здесь пока нет сообщений',
  list: 'Сообщения',
  message: 'Сообщение',
  messageBy: (author, at) => `${author}, ${at}`,
  today: 'Сегодня',
  yesterday: 'Вчера',
  edited: 'изменено',
  pinned: 'Закреплённое сообщение',
  forwardedFrom: (name) => `Переслано от ${name}`,
  notHere: 'Этого сообщения здесь нет.',
  toEnd: 'К последнему сообщению',
  newMessages: (n) =>
    count(n, { one: 'новое сообщение', few: 'новых сообщения', other: 'новых сообщений' }),
  sendThis: (command) => `Отправить ${command}`,

  showSpoiler: 'Показать скрытое',
  showMore: 'Показать ещё',
  showLess: 'Свернуть',
  code: 'Код',
  copy: 'Копировать',
  copyCode: 'Копировать код',
  copied: 'Скопировано',
  notCopied: 'Браузер не дал это скопировать',
  table: 'Таблица',
  taskDone: 'Сделано:',
  taskOpen: 'Не сделано:',
  next: 'Дальше',
  previous: 'Назад',
  slide: (n, of) => `${n} из ${of}`,

  photo: 'Фото',
  openPhoto: 'Открыть фото',
  video: 'Видео',
  animation: 'Анимация',
  videoNote: 'Видеосообщение',
  audio: 'Аудио',
  voice: 'Голосовое сообщение',
  file: 'Файл',
  sticker: 'Стикер',
  location: 'Геопозиция',
  contact: 'Контакт',
  download: 'Скачать',
  pollClosed: 'Завершён',
  votes: (n) => count(n, { one: 'голос', few: 'голоса', other: 'голосов' }),

  thinking: 'Думает…',
  writing: 'Ответ, который ещё пишется',
  stop: 'Остановить',
  actionsOf: {
    typing: (name) => `${name} печатает`,
    photo: (name) => `${name} отправляет фото`,
    video: (name) => `${name} отправляет видео`,
    voice: (name) => `${name} отправляет голосовое сообщение`,
    file: (name) => `${name} отправляет файл`,
    sticker: (name) => `${name} выбирает стикер`,
    location: (name) => `${name} определяет место`,
  },

  actions: 'Что сделать с сообщением',
  react: (emoji) => `Поставить ${emoji}`,
  reaction: (chip, names) => `${chip}: ${names}`,
  menu: {
    reply: 'Ответить',
    quote: 'Цитировать выделенное',
    edit: 'Изменить',
    copy: 'Копировать',
    copySelected: 'Копировать выделенное',
    forward: 'Переслать',
    delete: 'Удалить',
  },
  deleteTitle: (n) =>
    n === 1
      ? 'Удалить сообщение?'
      : `Удалить ${count(n, { one: 'сообщение', few: 'сообщения', other: 'сообщений' })}?`,
  deleteHint: 'Оно исчезнет у всех в чате.',

  service: {
    pinned: (name, text) => `${name}: закреплено «${text}»`,
    joined: (names) => `Теперь в группе: ${names}`,
    left: (name) => `Больше не в группе: ${name}`,
    topicCreated: (name) => `Создана тема «${name}»`,
    topicRenamed: (name) => `Теперь тема называется «${name}»`,
    topicClosed: 'Тема закрыта',
    topicReopened: 'Тема снова открыта',
    generalHidden: 'Тема General скрыта',
    generalShown: 'Тема General снова видна',
    renamed: (title) => `Теперь группа называется «${title}»`,
    photoChanged: 'У группы новое фото',
    photoRemoved: 'Фото группы удалено',
    groupCreated: 'Группа создана',
    becameSupergroup: 'Группа стала супергруппой',
    webAppData: (button) => `Боту отправлены данные «${button}»`,
    allowedToWrite: 'Теперь бот может писать',
    other: 'В чате что-то изменилось',
  },
}
