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
    save: 'Save the change',
    start: 'Start',
    unblock: 'Unblock',
    closedTopic: 'This topic is closed',
    channel: 'Only the channel’s administrators write here',
    replyTo: (name: string) => `Reply to ${name}`,
    editing: 'Change the message',
    endReply: 'Do not reply',
    endEdit: 'Leave the message as it is',
    commands: 'Commands',
    people: 'Who is mentioned',
    splitInto: (number: number) =>
      `Too long for one message: it will be sent as ${count(number, { one: 'message', other: 'messages' })}`,
    keyboard: 'The bot’s keyboard',
    showKeyboard: 'Show the bot’s keyboard',
    hideKeyboard: 'Hide the bot’s keyboard',
    cannotShare: 'The playground cannot share what this button asks for.',
    attach: 'Attach files',
    attached: (number: number) => `Send ${count(number, { one: 'file', other: 'files' })}`,
    drop: 'Drop files here to send them',
    addMore: 'Add more',
    remove: (name: string) => `Remove ${name}`,
    caption: 'Caption',
    captionOver: (number: number) =>
      `Too long by ${count(number, { one: 'character', other: 'characters' })}`,
    sendAs: 'How it is sent',
    ways: { media: 'To see or play', file: 'As a file', voice: 'As a voice message' },
    emptyFile: (name: string) => `${name} is empty: Telegram does not send empty files.`,
    largeFile: (name: string, size: string, most: string) =>
      `${name} is too large: ${size}, at most ${most}.`,
    notSent: (name: string, why: string) => `${name} was not sent. ${why}`,
    uploads: 'Being sent',
    cancelUpload: (name: string) => `Do not send ${name}`,
    kinds: {
      photo: 'Photo',
      video: 'Video',
      audio: 'Audio',
      voice: 'Voice message',
      document: 'File',
      other: 'Message',
    },
  },

  panel: {
    title: 'Behind the chat',
  },

  miniApp: {
    title: 'Mini App',
  },
}

export type Words = typeof en
