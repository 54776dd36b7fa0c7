import { countIn } from './plural.ts'

const count = countIn('en')

/** Everything the page says, in English. Its shape is the shape of every language. */
export const en = {
  name: 'English',
  back: 'Back',
  close: 'Close',
  cancel: 'Cancel',
  more: 'More',

  shell: {
    title: 'Kopeck playground',
    chats: 'Chats',
    noChats: 'There are no chats yet',
    choose: 'Choose a chat to see what is said in it',
    starting: 'Opening…',
    lost: 'Waiting for the playground…',
    members: (number: number) => count(number, { one: 'member', other: 'members' }),
    bot: 'bot',
    panel: 'What happens behind the chat',
    kinds: {
      photo: 'Photo',
      animation: 'GIF',
      video: 'Video',
      video_note: 'Video message',
      voice: 'Voice message',
      audio: 'Audio',
      document: 'File',
      sticker: 'Sticker',
      location: 'Location',
      contact: 'Contact',
      rich_message: 'Message',
      other: 'Message',
    },
    problems: {
      offline: 'The playground does not answer. Try again when it is back.',
      refused: (status: number) => `The playground refused this (HTTP ${status}).`,
      broken: 'Something went wrong on the page. The browser’s console tells what.',
    },
  },

  message: {
    none: 'No messages here yet',
  },

  compose: {
    field: 'Message',
    send: 'Send',
  },

  panel: {
    title: 'Behind the chat',
  },

  miniApp: {
    title: 'Mini App',
  },
}

export type Words = typeof en
