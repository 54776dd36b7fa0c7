## Commands and how they are described in the menu

command-help = что я умею
command-new = начать новый разговор
command-model = выбрать модель, которая отвечает
command-system = указание для этого разговора
command-chats = вернуться к прежнему разговору
command-history = перечитать этот разговор
command-export = этот разговор файлом
command-forget = стереть всё, что я о вас храню
command-costnote = под какими ответами показывать цену следующего сообщения
command-alerts = о чём предупреждать администраторов, и ежедневная сводка
command-media = правила для заказов роликов, картинок и звуков
command-stop = остановить ответ, который сейчас пишется
command-usage = сколько вы потратили и сколько стоит следующее сообщение
command-video = сделать ролик по описанию или из картинки
command-image = сделать картинку по описанию
command-sound = сделать звук по описанию
command-orders = ваши ролики, картинки и звуки
command-balance = сколько осталось на счёте сервиса
command-spend = сколько потратил каждый
command-users = кто мне писал и когда в последний раз
command-stats = что происходит: люди, ответы, заказы, очереди
command-dashboard = страница с расходами, лимитами и доступом
command-limit = сколько можно тратить пользователям и группам
command-access = кто может со мной говорить и у кого какая роль
command-block = закрыть кому-нибудь доступ или открыть снова
command-language = выбрать мой язык
command-drafts = показывать ответ черновиком, пока он пишется

start =
    Здравствуйте, { $name }. Напишите мне, и ответит языковая модель; разговор я помню, пока вы не начнёте новый командой /new.

    Ещё я делаю короткие ролики, картинки и звуки: /video, /image или /sound и несколько слов о том, что должно получиться.

    Остальное — в /help.
help =
    Напишите что угодно — модель ответит.
help-viewer = О расходах:
help-admin = Для администраторов:
unknown-command = Такой команды я не знаю. Все мои команды — в /help.
service-unavailable = Сервис сейчас не отвечает. Попробуйте, пожалуйста, через минуту.

new-conversation = Новый разговор. Прежний отложен.
new-conversation-instructed = Новый разговор. Прежний отложен, а указание осталось: его покажет /system.

stop-done = Остановлено.
stop-nothing = Сейчас ничего не пишется.

## Choosing a model

model-choose = Какая модель будет здесь отвечать?
model-line = { $model } — вход { $promptPrice }, выход { $completionPrice }
model-prices = Цены — за 1 миллион токенов.
model-none = Сервис сейчас не предлагает ни одной модели.
model-chosen = Со следующего сообщения отвечает { $model }.
model-gone = Этой модели больше нет. Выберите, пожалуйста, другую.

## The conversation

system-is = Модель следует здесь этому указанию:
system-none = У этого разговора нет указания. Чтобы дать его, напишите после команды: /system Отвечай коротко.
system-set = Со следующего сообщения модель следует этому указанию. В новом разговоре оно останется; убрать его — /system off.
system-removed = Указание убрано.
system-remove = Убрать указание
system-too-long = В указании знаков: { $length }, а можно не больше { $limit }. Сократите его, пожалуйста.
chats-title = Разговоры здесь, сначала новые. Нажмите на разговор, чтобы вернуться к нему.
chats-found = Разговоры, где есть «{ $words }». Нажмите на разговор, чтобы вернуться к нему.
chats-found-more = Нашлось больше; ещё одно слово уточнит поиск.
chats-line =
    { $number }. { $title }
    { $cost } · { $at }{ $current ->
        [true] {""} · вы здесь
       *[false] {""}
    }
chats-none = Разговоров пока нет. Напишите что-нибудь, и начнётся первый.
chats-not-found = По запросу «{ $words }» ничего не нашлось. Все разговоры — /chats.
chats-gone = Этого разговора больше нет.
chat-entered = Вы снова в разговоре «{ $title }».
chat-last-question = Последний вопрос: { $question }
chat-size = Отвечает { $model }; в разговоре примерно { $tokens ->
    [one] { $tokens } токен
    [few] { $tokens } токена
   *[other] { $tokens } токенов
}.
chat-entered-more = Пишите, чтобы продолжить. Что было сказано, покажет /history.
button-chat-name = Переименовать
button-chats = « Все разговоры
chat-name-ask = { $name }, как назвать разговор «{ $title }»? Пришлите название ответом на это сообщение.
chat-name-hint = Новое название
chat-named = Теперь разговор называется «{ $title }».
history-empty = В этом разговоре ещё ничего не сказано.
history-gone = Читать здесь больше нечего.
history-older = « Раньше
history-newer = Позже »
history-set-aside = отложено
export-title = Разговор, { $at }
export-instruction = Указание
export-tokens = токенов: { $promptTokens } + { $completionTokens }
export-usage = Я пишу Markdown или JSON: /export или /export json
export-too-large = Этот разговор больше 50 МБ, такого файла Telegram от меня не возьмёт.

forget-ask =
    Стереть всё, что я о вас храню?

    Навсегда сотру: разговоры нашего личного чата, то, что вы спрашивали в группах, и ответы на это, описания ваших роликов, ваше имя, язык и модель. То, что сейчас пишется, остановлю.

    Останутся: ваш Telegram id, сколько и когда с вас списано, но не за что, и то, что администраторы решили о вашем доступе. Сообщения в самом Telegram останутся, пока вы не удалите их там, а стереть то, что ушло в сервис, я не могу.
forget-erase = Стереть
forget-keep = Оставить
forget-running = Стираю. Сначала останавливаю то, что сейчас пишется.
forget-done = Всё, что я о вас хранил, стёрто. Дальше — с чистого листа.
forget-kept = Ничего не стёрто.
forget-expired = Этот вопрос слишком старый, ничего не стёрто. Спросить заново: /forget
forget-order = Ваш ролик ещё делается, поэтому ничего не стёрто. Напишите /forget снова, когда он будет готов.
forget-not-yours = Решить это может только тот, кто попросил.
forget-anonymous = Вы пишете от имени группы, и я не знаю, какие слова ваши. Напишите /forget от своего имени, пожалуйста.

## Spending

usage =
    { $whose ->
        [group] Эта группа потратила
       *[user] Вы потратили
    }
    сегодня: { $today }
    в этом месяце: { $month }
    всего: { $total }
usage-own-sent = Ваши личные суммы придут в наш личный чат.
usage-own-unsent = Я пока не могу вам писать, поэтому ваши личные суммы не дошли. Откройте чат со мной, нажмите «Запустить» и отправьте там /usage.
usage-estimated = Из этого { $estimated } — оценка: сервис не сообщил настоящую стоимость.
usage-kinds = В этом месяце по видам
usage-items = В этом месяце по моделям и видам заказов
usage-history = В этом месяце { $amount } ({ $percent } %) ушло на повторное чтение сказанного: с каждым сообщением отправляется весь разговор. /new начинает новый, короткий.
usage-size = В этом разговоре примерно токенов: { $tokens }.
usage-size-share =
    В этом разговоре примерно токенов: { $tokens }, это { $percent ->
        [0] меньше 1 %
       *[other] { $percent } %
    } того, что { $model } читает за раз.
usage-next = Следующее сообщение здесь будет стоить около { $amount }, не считая ответа.
costnote-is = { $note ->
    [always] Под каждым ответом сказано, сколько будет стоить следующее сообщение.
    [off] Под ответами не сказано, сколько будет стоить следующее сообщение.
   *[from] Под ответом сказано, сколько будет стоить следующее сообщение, если это { $amount } или больше.
}
costnote-whose = { $whose ->
    [own] Так выбрали вы.
    [all] Так для всех, кто не выбрал другое.
   *[default] Другого вы не выбирали.
}
costnote-change = Изменить: /costnote always — всегда, /costnote from 5 — от 5 рублей, /costnote off — никогда, /costnote default — как у всех.
costnote-change-all = Для всех: /costnote all from 5
chart-own = Ваши расходы за 30 дней
chart-all = Расходы всех за 30 дней
chart-empty = Расходов не было
chart-users = Кто потратил больше всех
chart-rest = ещё { $count }
costnote-usage = Напишите /costnote always, /costnote off или сумму в рублях, например /costnote from 2,50
costnote-usage-all = Напишите /costnote all always, /costnote all off или сумму в рублях, например /costnote all from 2,50
alerts-head = О чём я сообщаю без вопроса, о каждом не чаще раза в час:
alerts-balance = • баланс меньше { $amount }
alerts-balance-off = • низкий баланс: нет
alerts-days = • баланса при нынешних тратах хватит меньше чем на { $days ->
        [one] { $days } день
        [few] { $days } дня
       *[other] { $days } дней
    }
alerts-days-off = • баланса хватит ненадолго: нет
alerts-times = • траты пользователя за день больше обычных в { $times ->
        [one] { $times } раз
        [few] { $times } раза
       *[other] { $times } раз
    }
alerts-times-off = • траты пользователя больше обычных: нет
alerts-failures = • сбои сервиса
alerts-failures-off = • сбои сервиса: нет
alerts-digest = • сводка за вчерашний день, в { $hour }
alerts-digest-off = • сводка за вчерашний день: нет
alerts-usage = Изменить: /alerts balance 500, /alerts days 3, /alerts times 5, /alerts failures on, /alerts digest 10 — или любое из них со словом off
alerts-usage-balance = Укажите сумму в рублях: /alerts balance 500 или /alerts balance off
alerts-usage-days = Укажите целое число дней от 1 до 365: /alerts days 3 или /alerts days off
alerts-usage-times = Укажите целое число от 2 до 100: /alerts times 5 или /alerts times off
alerts-usage-failures = Напишите /alerts failures on или /alerts failures off
alerts-usage-digest = Укажите час от 0 до 23: /alerts digest 10 или /alerts digest off
media-rules =
    Правила для заказов роликов, картинок и звуков:

    Заказ дороже { $amount } нужно сначала подтвердить (/media confirm 200).
    Заказов одного пользователя, которые делаются одновременно, не больше { $parallel } (/media parallel 5).
    Что не готово за { $minutes } мин, того больше не ждём (/media deadline 90).
media-usage = Напишите, что изменить: /media confirm 200, /media parallel 5 или /media deadline 90
media-confirm-usage = Напишите цену в рублях, например /media confirm 200. После /media confirm 0 подтверждать нужно любой платный заказ.
media-parallel-usage = Напишите целое число от 1 до { $max }, например /media parallel 5
media-deadline-usage = Напишите целое число минут от 1 до { $max }, например /media deadline 90
balance = На счёте осталось { $balance }.
balance-pace = В последнее время уходило около { $pace } в день. При таком расходе хватит { $days ->
    [0] меньше чем на день
    [one] на { $days } день
    [few] на { $days } дня
   *[many] на { $days } дней
}.
balance-pace-year = В последнее время уходило около { $pace } в день. При таком расходе хватит больше чем на год.
balance-no-pace = За последние семь дней ничего не потрачено.
balance-check =
    С { $from } баланс уменьшился на { $moved }, пользователям начислено { $charged }.
    Разница: { $difference }.
balance-cause = { $amount } — { $cause ->
    [written_off] в убыток: сервис оставил себе, никто не платит
    [estimates] начислено по оценке
    [under_way] сейчас в работе
    [credited] пополнение счёта
   *[not_ours] потрачено не этим ботом
}
balance-unsettled = Есть запросы в работе или только что законченные: часть разницы ещё может сойтись.
spend-none = За это время никто ничего не потратил.
spend-nobody = Никого по запросу «{ $search }» не нашлось. Подойдёт часть имени, @username или id.
spend-kind = { $kind ->
    [answer] ответы
    [retry] повторные ответы
    [summary] пересказы
    [video] ролики
    [image] картинки
   *[sound] звуки
}
spend-span = { $span ->
    [today] Сегодня
    [week] Последние 7 дней
    [days] Последние 30 дней
    [month] Этот месяц
   *[all] За всё время
}
spend-span-button = { $span ->
    [today] Сегодня
    [week] 7 дней
    [days] 30 дней
    [month] Месяц
   *[all] Всё время
}
spend-sum = Всего { $amount }, { $charges ->
    [one] { $charges } списание
    [few] { $charges } списания
   *[other] { $charges } списаний
}
spend-users = По пользователям
spend-rest = { $count ->
    [one] ещё { $count } человек
    [few] ещё { $count } человека
   *[other] ещё { $count } человек
}
spend-kinds = По видам
spend-items = По моделям и видам заказов
spend-other-items = все остальные
spend-days = По дням
spend-earlier = раньше
spend-estimated = Из этого { $amount } — оценка.
spend-history = Из этого { $amount } ({ $percent } %) ушло на повторное чтение сказанного раньше.
spend-written-off = Сверх того списано в убыток { $amount }: сервис оставил деньги себе, и никто из пользователей за это не платит.
spend-found = По запросу «{ $search }» нашлось: { $count }. В этом месяце:
spend-found-more = { $count ->
    [one] И ещё { $count }. Уточните имя, чтобы их стало меньше.
   *[other] И ещё { $count }. Уточните имя, чтобы их стало меньше.
}
spend-orders = Последние заказы
spend-order = { $item }, { $at }: { $state ->
    [delivered] готово, { $amount }
    [failed] не вышло, { $amount }
    [cancelled] отменён
   *[other] делается, { $amount }
}
spend-limit-button = Задать лимит
spend-limit-choose = { $asked ->
    [period] На какой срок лимит?
   *[amount] Сколько можно тратить { $period ->
        [day] в день
        [week] в неделю
        [month] в месяц
       *[all] за всё время
    }?
} Любая другая сумма: /limit { $id } 750 month
spend-limit-period = { $period ->
    [day] День
    [week] Неделя
    [month] Месяц
   *[all] Всего
}
spend-limit-none = Без лимита
spend-limit-default = Как у всех
spend-limit-done = Лимит задан.
spend-file-button = Все списания файлом
spend-picture-button = Картинка
spend-picture-failed = Картинку сейчас нарисовать не удалось.
spend-file-comes = Файл сейчас придёт.
spend-files = Файлов { $count }: для одного списаний слишком много.
spend-csv-usage = Напишите, за какое время: /spend csv today, 7d, 30d, month или all

## Limits

limit-amount = { $amount } { $period ->
    [day] в день
    [week] в неделю
    [month] в месяц
   *[all] всего
}
limit-none = без лимита { $period ->
    [day] на день
    [week] на неделю
    [month] на месяц
   *[all] на всё время
}
limit-unlimited = без лимита
limit-left = Лимит { $limit }: осталось { $left }{ $resets ->
    [never] {""}
   *[at] , заново с { $at }
}
limit-reached =
    { $whose ->
        [group] Лимит этой группы
       *[user] Ваш лимит
    } — { $limit }, и на это его не хватает: потрачено { $spent }{ $isMore ->
        [true] {""}, ещё { $reserved } в работе
       *[false] {""}
    }{ $isPriced ->
        [true] {""}, а это может стоить до { $needed }
       *[false] {""}
    }. Ничего не списано.
    { $period ->
        [all] Поднять его может только администратор.
       *[other] Новый отсчёт начнётся { $at }.
    }
button-ask-more = Попросить больше
limit-request =
    { $name }, { $id }, просит больше.
    { $whose ->
        [group] Лимит группы { $subject }
       *[user] Лимит пользователя
    }: { $limit }. Потрачено: { $spent }.
limit-verb = { $verb ->
    [half] +50 %: { $amount }
    [double] ×2: { $amount }
    [lift] Сегодня без лимита
   *[refuse] Отказать
}
limit-decided = { $decision ->
    [raised] Поднят до { $limit }
    [lifted] До полуночи без лимита
   *[refused] Отказано
}: { $admin }, { $at }
limit-answer = { $decision ->
    [raised] Администраторы подняли { $whose ->
        [group] лимит этой группы
       *[user] ваш лимит
    }: теперь { $limit }.
    [lifted] До полуночи лимит { $whose ->
        [group] этой группы не действует
       *[user] для вас не действует
    }: администраторы сняли его.
   *[refused] Администраторы не подняли { $whose ->
        [group] лимит этой группы
       *[user] ваш лимит
    }.
}
limit-asked = Я спросил администраторов и напишу, когда они решат.
limit-asked-already = Администраторов уже спросили, они пока не решили.
limit-asked-refused = Администраторов уже спросили, и они не подняли лимит. Попросить снова можно через сутки.
limit-has-room = Этот лимит сейчас не действует. Попробуйте, пожалуйста, ещё раз.
limit-no-request = Такой просьбы больше нет.
limit-near =
    { $whose ->
        [group] Эта группа потратила
       *[user] Вы потратили
    } { $spent } при лимите { $limit }: осталось { $left }.
    { $period ->
        [all] Поднять этот лимит может только администратор.
       *[other] Новый отсчёт начнётся { $at }.
    }
limit-defaults =
    Сколько можно тратить, если не задано иначе:
    пользователю: { $users }
    группе: { $groups }
    На администраторов это не распространяется.
limit-usage =
    /limit @name 500 month — этому пользователю не больше 500 рублей в месяц
    /limit 12345 none day — без лимита на день, что бы ни было задано для всех
    /limit 12345 default day — снова как для всех
    /limit -100123 5000 month — этой группе
    /limit default 200 day — каждому пользователю, у которого нет своего лимита
    /limit groups 3000 week — каждой такой группе
    /limit @name — какие лимиты действуют и сколько потрачено

    Вместо имени подойдёт id пользователя или группы. Сроки: day (день), week (неделя с понедельника), month (месяц), all (всего).
limit-of = { $whose ->
    [group] Лимиты группы { $id }:
   *[user] Лимиты: { $name } ({ $id })
}
limit-line = { $limit } ({ $origin ->
    [own] задан здесь
   *[default] как для всех
})
limit-line-spent = { $limit } ({ $origin ->
    [own] задан здесь
   *[default] как для всех
}) — потрачено { $spent }, в работе { $reserved }, осталось { $left }
limit-lifted-today = До полуночи ни один из них не действует: администратор их снял.
limit-who-unknown = Я не знаю пользователя или группу «{ $who }». У того, кто мне ни разу не писал, лимита нет.
limit-who-ambiguous = Имя «{ $who }» было у нескольких пользователей. Укажите id: его показывают /users и /access.
limit-period-unknown = Укажите срок: day, week, month или all, например /limit @name 500 month
limit-amount-malformed = «{ $amount }» — это не сумма. Укажите рубли, например 500 или 99,90, или none.
limit-amount-negative = Лимит не может быть меньше нуля. С 0 тратить нельзя ничего, none снимает лимит.
limit-amount-huge = Лимит может быть не больше { $max }. Без лимита: none.

## Clips

order-summary = { $kind ->
    [image] картинка, { $options }
    [sound] звук, { $options }
   *[video] { $options }
}
picture-no-public-url = Передать картинку сервису отсюда я не могу, поэтому делаю ролики только по словам. Это может поправить администратор: боту нужен публичный адрес.
picture-too-large = Картинка слишком большая: можно не больше 20 МБ. Отправьте её, пожалуйста, как фото — Telegram сам её уменьшит.
picture-wrong-shape = Из картинки такой формы ролик не сделать: каждая сторона — от 200 до 8000 пикселей, и длинная не больше трёх коротких. Обрежьте её, пожалуйста.
picture-not-a-picture = Ролик можно сделать только из фото: JPEG, PNG или WebP. Отправьте картинку, пожалуйста, как фото.
picture-one-of-several = Здесь несколько фото, а ролик делается из одного. Отправьте его, пожалуйста, отдельно или ответьте на него командой /video.
picture-gone = Забрать эту картинку из Telegram не получилось. Отправьте её, пожалуйста, ещё раз.
price-unknown = цена неизвестна
order-waiting =
    { $summary } — { $price }
    Ждёт, пока не закончится один из ваших других заказов.
order-placed =
    { $summary } — { $price }
    Заказ принят, сейчас он уйдёт в сервис.
order-in-line =
    { $summary } — { $price }
    { $position ->
        [1] Вы следующий в очереди
       *[other] Место в очереди: { $position }
    }, ждать примерно { $wait }. Сервис берёт несколько заказов в минуту.
order-service-away =
    { $summary } — { $price }
    Сервис сейчас недоступен. Заказ сохранён и уйдёт, как только он вернётся; до этого ничего не спишется.
order-generating =
    { $summary } — { $price }
    { $kind ->
        [video] { $progress ->
            [begun] Ролик делается. Обычно это занимает 5–15 минут; я напишу, когда он будет готов.
            [late] Ролик делается уже { $minutes } мин. Обычно хватает 5–15; я напишу, когда он будет готов.
           *[going] Ролик делается: прошло { $minutes } мин, обычно нужно 5–15.
        }
        [image] Картинка делается. Это недолго.
       *[sound] Звук делается. Это недолго.
    }
order-ready =
    { $summary } — { $price }
    Готово, сейчас пришлю.
order-delivered =
    { $summary } — { $price }
    { $kind ->
        [video] Готово. Ролик ниже.
        [image] Готово. Картинка ниже.
       *[sound] Готово. Звук ниже.
    }
order-failed =
    { $summary }
    Не получилось; почему — написано ниже.
order-cancelled =
    { $summary }
    Отменено. Ничего не списано.
button-cancel = Отменить
cancel-done = Отменено. Ничего не списано.
cancel-too-late = Уже поздно: заказ ушёл в сервис или закончился.
result-ready =
    { $count ->
        [one] { $kind ->
            [video] Ваш ролик готов. Вот он.
            [image] Ваша картинка готова. Вот она.
           *[sound] Ваш звук готов. Вот он.
        }
       *[other] { $kind ->
            [video] Ваши ролики готовы: { $count }. Вот они.
            [image] Ваши картинки готовы: { $count }. Вот они.
           *[sound] Ваши звуки готовы: { $count }. Вот они.
        }
    }
result-below =
    { $kind ->
        [video] Ваши ролики ({ $count }):
        [image] Ваши картинки ({ $count }):
       *[sound] Ваши звуки ({ $count }):
    }
result-link =
    { $count ->
        [one] { $kind ->
            [video] Ваш ролик готов, но он слишком велик, чтобы прислать его сюда. Он лежит по этому адресу:
            [image] Ваша картинка готова, но она слишком велика, чтобы прислать её сюда. Она лежит по этому адресу:
           *[sound] Ваш звук готов, но он слишком велик, чтобы прислать его сюда. Он лежит по этому адресу:
        }
       *[other] { $kind ->
            [video] Ваши ролики готовы, но они слишком велики, чтобы прислать их сюда. Они лежат по этим адресам:
            [image] Ваши картинки готовы, но они слишком велики, чтобы прислать их сюда. Они лежат по этим адресам:
           *[sound] Ваши звуки готовы, но они слишком велики, чтобы прислать их сюда. Они лежат по этим адресам:
        }
    }
    { $links }
result-maybe-shown =
    Связь оборвалась, когда я отправлял { $kind ->
        [video] ваши ролики
        [image] ваши картинки
       *[sound] ваши звуки
    } ({ $count }), и я не знаю, дошли ли они. Второй раз я их не отправлял. { $isLinked ->
        [true] Они лежат и по этим адресам:
       *[false] Если их нет, /orders пришлёт их ещё раз.
    }
    { $links }
media-refused-unknown = Сервис такого не делает. Ничего не заказано и не списано.
result-gone =
    { $kind ->
        [video] Забрать этот ролик
        [image] Забрать эту картинку
       *[sound] Забрать этот звук
    } из сервиса сейчас не получается, а в Telegram файла для меня больше нет. Попробуйте, пожалуйста, позже.
clip-refused-balance = На счёте бота в сервисе не хватает денег на этот заказ. Ничего не списано. Скажите, пожалуйста, администратору.
clip-refused-request = Сервис не принимает такое описание. Ничего не списано.
clip-refused-request-why =
    Сервис не принимает этот заказ. Ничего не списано. Он ответил:
    { $reason }
clip-refused-provider = Сервис не смог начать этот заказ. Ничего не списано. Попробуйте ещё раз, можно другими словами.
clip-refused-busy = Очередь слишком долго не двигалась, и я снял ваш заказ. Ничего не списано.
clip-refused-unavailable = Сервис долго не отвечал, поэтому заказ не начат. Ничего не списано. Попробуйте, пожалуйста, позже.
clip-failed =
    { $kind ->
        [video] Ролик не получился.
        [image] Картинка не получилась.
       *[sound] Звук не получился.
    } { $price } вернулись к вам.
clip-failed-why =
    { $kind ->
        [video] Ролик не получился.
        [image] Картинка не получилась.
       *[sound] Звук не получился.
    } { $price } вернулись к вам. Сервис ответил:
    { $reason }
clip-outcome-unknown =
    Связь оборвалась, когда я отправлял ваш заказ, и я не знаю, выполняется ли он. Второй раз я его не отправлял, чтобы не заплатить дважды. { $price } записаны как оценка; администратор может проверить.
clip-overdue = Заказ делался слишком долго, и я перестал ждать. { $price } вернулись к вам.
clip-lost = Сервис больше не знает этого заказа. { $price } вернулись к вам.
clip-undeliverable =
    { $kind ->
        [video] Ролик сделан, но забрать его
        [image] Картинка сделана, но забрать её
       *[sound] Звук сделан, но забрать его
    } из сервиса не удалось. { $price } вернулись к вам.
clip-chat-away =
    { $kind ->
        [video] Ролик сделан
        [image] Картинка сделана
       *[sound] Звук сделан
    }, но этот чат месяц не принимал моих сообщений. { $price } остаются списанными.
clip-chat-away-early = Ответить в этом чате не получилось, поэтому заказ не ушёл в сервис. Ничего не списано.

## Cards

option-duration = { $seconds } с
option-shape = { $shape ->
    [square] квадрат
    [portrait] вертикально
   *[landscape] горизонтально
}
option-from-picture = из картинки
media-too-long = В описании знаков: { $length }, а можно не больше { $limit }. Сократите его, пожалуйста.
media-closed = Сервис, к которому я подключён, не делает { $kind ->
    [image] картинок
    [sound] звуков
   *[video] роликов
}.
media-not-offered = Сервис сейчас такого не делает. Что есть ещё, покажет /{ $kind }
picture-video-only = Из картинки можно сделать только ролик: отправьте её с подписью /video или ответьте на неё командой /video.
card-words =
    { $kind ->
        [image] Картинка
        [sound] Звук
       *[video] Ролик
    }: { $summary } — { $price }

    Выберите здесь, что вам нужно: я запомню и на следующий раз.
card-ask =
    { $kind ->
        [image] Что должно быть на картинке?
        [sound] Что должно быть слышно?
       *[video] { $motion ->
            [true] Что должно происходить на картинке?
           *[false] Что должно быть видно?
        }
    } Ваш ответ на это сообщение и будет заказом.
card-ask-hint = { $kind ->
    [image] лиса в снегу, акварель
    [sound] дождь стучит по крыше
   *[video] { $motion ->
        [true] камера медленно приближается
       *[false] лиса бежит по снегу
    }
}
card-choice = Что заказать?
card-confirmation =
    { $kind ->
        [image] Картинка
        [sound] Звук
       *[video] Ролик
    }: { $summary } — { $price }

    Заказать?
card-ordered = Заказано: { $summary } — { $price }
card-dropped = Не заказано. Ничего не списано.
card-order = Заказать за { $price }
card-order-unknown = Заказать, не зная цены
card-literal = Нет, это часть описания
card-drop = Не заказывать
card-price-changed = Цена уже не та, что вы видели.
card-again = С этой карточки вы уже сделали заказ. Это ещё один?
card-own-shape = У ролика из картинки — форма самой картинки.
card-question-no-value = { $count ->
    [one] «{ $written }» не бывает.
   *[other] Такого не бывает: { $written }.
}
card-question-no-pair = { $count ->
    [one] «{ $written }» не сочетается с тем, что выбрано раньше.
   *[other] Вместе этого не бывает: { $written }.
}
card-question-contradiction = Одно противоречит другому: { $written }.
card-question-unclear = { $count ->
    [one] «{ $written }» — это о формате или часть описания?
   *[other] Это о формате или части описания: { $written }?
}
card-no-pair = { $tapped } не сочетается с { $chosen }.
card-not-yours = Эта карточка не ваша. Свою откроет команда /{ $kind }
card-old = Этой карточке больше суток. Новую откроет команда /{ $kind }
card-ordered-already = Это уже заказано.
card-use-buttons = Ответьте, пожалуйста, кнопками под карточкой.
card-in-words = Напишите, пожалуйста, словами.

## Orders

orders-title = Ваши заказы, сначала новые:
orders-none = Вы ещё ничего не заказывали. Ролики, картинки и звуки делают /video, /image и /sound.
orders-line =
    { $number }. { $words }
    { $summary } — { $state ->
        [waiting] ждёт других ваших заказов
        [placed] в очереди
        [submitted] уходит в сервис
        [generating] делается
        [ready] уже в пути
        [delivered] готово
        [cancelled] отменён
       *[failed] не получилось
    }, { $price }
orders-one =
    { $summary }
    { $state ->
        [waiting] ждёт других ваших заказов
        [placed] в очереди
        [submitted] уходит в сервис
        [generating] делается
        [ready] уже в пути
        [delivered] готово
        [cancelled] отменён
       *[failed] не получилось
    }, { $price }
    { $at }
orders-free = ничего не списано
orders-not-yours = Это чужой список. Ваш покажет /orders.
button-orders = « Все заказы
button-send-again = Прислать ещё раз
button-again = Ещё раз
button-vertical = Вертикально
button-horizontal = Горизонтально
button-length = { $seconds } с
again-placed = Заказано.
again-under-way = Это вы уже заказали, заказ выполняется.
again-sure =
    { $summary }
    Это стоит { $price }. Заказать?
again-new-price =
    { $summary }
    Цена изменилась: теперь это стоит { $price }. Заказать?
button-animate = Оживить

## Answers

reply-empty = Модель прислала пустой ответ. Спросите, пожалуйста, другими словами.
reply-cut = (Ответ дошёл до предела длины. Напишите «продолжай», и будет остальное.)
reply-stopped = (Остановлено.)
reply-stopped-in-queue = (Остановлено. Вопрос ещё стоял в очереди, ничего не списано.)
reply-queued =
    Сейчас много вопросов.
    { $position ->
        [1] Вы следующий в очереди
       *[other] Ваше место в очереди: { $position }
    }, ждать примерно { $wait }. Выйти из неё — /stop.
wait-seconds = { $count } с
wait-minutes = { $count } мин
reply-interrupted = (Меня перезапустили посреди ответа, конца у него нет. Нажмите «Повторить», и я отвечу заново.)
reply-message-too-long = Одно это сообщение длиннее, чем модель может прочесть. Сократите его или выберите модель с большим контекстом: /model.
reply-context = (Разговор занимает { $percent } % того, что модель читает за раз. /new начнёт новый.)
reply-next-cost = (Следующее сообщение здесь будет стоить около { $amount }, не считая ответа. Новый разговор — /new.)
summary-offer = Каждое сообщение здесь стоит около { $before } ещё до ответа: всё сказанное отправляется заново. Пересказ стоит около { $once } один раз, после него сообщение — около { $after }.
summary-gone = Пересказывать нечего: пересказ уже сделан, разговор сменился или экономии больше не будет.
button-summarize = Сделать пересказ, около { $amount }
button-not-now = Не сейчас
summary-made = (Это был пересказ. Дальше вместо всего сказанного до него отправляется он; сами сообщения остались в /history.)
summary-unchanged = (Разговор остался как был: из него ничего не убрано.)
summary-empty = Модель вернула пустой пересказ.
summary-cut = (Пересказ упёрся в предел длины, и части его не хватает.)
summary-too-long = Разговор длиннее, чем модель может прочитать.
reply-saved = (Пересказ уже сэкономил около { $amount } за вычетом своей цены.)
button-stop = Остановить
button-retry = Повторить
button-answer = Ответить
button-decline = Не надо
button-fresh = Новый разговор с этого сообщения
button-shorten = Продолжить без самого старого
button-rerun = Ответить заново отсюда
held-late = Это сообщение пришло примерно { $age } назад, и прочесть его раньше я не мог. Всё ещё ответить?
held-conversation-too-long = Разговор стал длиннее, чем модель читает за раз. Как продолжить? То, что я уберу, останется в чате, но модель этого больше не прочтёт.
held-edited = Вы изменили это сообщение, когда ответ уже был. Могу ответить заново отсюда: всё, что было после, отложится, а его стоимость останется.
held-declined = Хорошо, это сообщение останется без ответа.
age-hours = { $count ->
    [one] { $count } час
    [few] { $count } часа
   *[other] { $count } часов
}
age-days = { $count ->
    [one] { $count } день
    [few] { $count } дня
   *[other] { $count } дней
}
turn-not-yours = Это может только тот, кто спросил, или администратор.
turn-gone = Здесь уже нечего решать: это решено, или разговор пошёл дальше иначе.
prompt-in-reply = В ответ на это сообщение:
reply-maybe-double = (Связь прервалась, и это, возможно, уже стоит выше.)
reply-insufficient-balance = На счёте бота в сервисе не хватает денег на этот ответ. Скажите, пожалуйста, администратору.
reply-unauthorized = Сервис не принимает ключ бота. Скажите, пожалуйста, администратору.
reply-invalid-request = Сервис не принимает этот разговор: возможно, он стал слишком длинным. /new начнёт новый.
reply-rate-limited = Слишком много вопросов сразу. Попробуйте, пожалуйста, через минуту.
reply-provider-rejected = Модель отклонила запрос. Попробуйте ещё раз или выберите другую: /model.
reply-service-unavailable = Сервис сейчас не отвечает. Попробуйте, пожалуйста, через минуту.
reply-stream-broken = Связь с моделью оборвалась, конца ответа нет.
reply-outcome-unknown = Связь оборвалась до ответа, и я не знаю, написала ли его модель. Второй раз я не спрашивал, чтобы не заплатить дважды.
reply-unexpected-answer = Сервис ответил что-то, чего я не могу прочесть.
reply-failed = Здесь что-то сломалось, и ответить не вышло. Попробуйте, пожалуйста, ещё раз.
reply-charged = Это стоило { $amount }.
reply-charged-estimate = Записано как расход: около { $amount }.
reply-charged-nothing = Ничего не списано.
admin-insufficient-balance = Администраторам: на счёте в сервисе не хватает денег, вопросы остаются без ответа. Сколько осталось, покажет /balance. Снова напомню не раньше чем через час.
admin-unauthorized = Администраторам: сервис больше минуты не принимает ключ бота, вопросы остаются без ответа. Снова напомню не раньше чем через час.
admin-service-unavailable = Администраторам: сервис больше минуты не отвечает, вопросы остаются без ответа. Снова напомню не раньше чем через час.
admin-storage-unavailable = Администраторам: готовый результат негде сохранить: диск сервиса полон или закрыт для записи, либо хранилище отказывает. Результаты ждут до своего срока, потом деньги возвращаются. Причина записана в журнале. Снова напомню не раньше чем через час.
admin-order-written-off = Администраторам: сервис взял деньги за заказ, который не дошёл: не был готов вовремя, не скачался или больше не известен сервису. Пользователю цена возвращена, сервис её оставил себе. Какой это заказ, записано в журнале, сумма — в /spend. Снова напомню не раньше чем через час.
admin-balance-low = Администраторам: на счёте в сервисе осталось { $balance }, это меньше { $limit }. Если траты продолжатся, снова напомню не раньше чем через час. Порог меняет /alerts.
admin-days-left-low =
    { $days ->
        [0] Администраторам: на счёте в сервисе осталось { $balance }. При нынешних тратах, { $pace } в день, этого не хватит и на день.
        [one] Администраторам: на счёте в сервисе осталось { $balance }. При нынешних тратах, { $pace } в день, этого хватит на { $days } день.
        [few] Администраторам: на счёте в сервисе осталось { $balance }. При нынешних тратах, { $pace } в день, этого хватит на { $days } дня.
       *[other] Администраторам: на счёте в сервисе осталось { $balance }. При нынешних тратах, { $pace } в день, этого хватит на { $days } дней.
    } Если траты продолжатся, снова напомню не раньше чем через час. Порог меняет /alerts.
admin-unusual-spend =
    Администраторам: { $name }: за сегодня { $today }, а обычно { $usual } в день. Если траты продолжатся, снова напомню не раньше чем через час.
    Telegram id { $id }
digest-day = Вчера, { $day }: { $amount }
digest-month = За этот месяц: { $amount }
digest-failed = Вчера не удалось заказов: { $count }
digest-users = Кто больше всех потратил за 30 дней:
digest-balance = Баланс: { $balance }
digest-balance-days =
    Баланс: { $balance }, при нынешних тратах { $days ->
        [0] не хватит и на день
        [one] хватит на { $days } день
        [few] хватит на { $days } дня
       *[other] хватит на { $days } дней
    }
digest-balance-year = Баланс: { $balance }, при нынешних тратах хватит больше чем на год
digest-balance-unknown = Сейчас сервис не сообщает баланс.

## Access

outsider = Этот бот — для узкого круга. Если вы из него, попросите администраторов вас впустить.
access-ask = Попросить доступ
access-asked = Ваша просьба у администраторов. Когда они решат, я напишу вам.
access-asked-already = Вы уже просили; администраторы ещё не решили.
access-ask-later = Администраторы вас не впустили. Попросить снова можно после { $at }.
access-allowed = Вас впустили. Напишите мне, и ответит языковая модель; остальное — в /help.
access-refused = Администраторы вас не впустили. Попросить снова можно завтра.
access-inside = Вы уже внутри: просто напишите мне.
access-request =
    { $name } просит доступ.
    Telegram id { $id }, язык { $language }
access-allow = Впустить
access-refuse = Отказать
access-block = Заблокировать
access-decided-allowed = Доступ дан: { $admin }, { $at }
access-decided-refused = Отказано: { $admin }, { $at }
access-decided-blocked = Заблокировано: { $admin }, { $at }
access-no-request = Такой просьбы больше нет.
access-list = Кто может со мной говорить, а кто нет (администраторы могут всегда):
access-nobody = Пока никто.
access-line = { $name }, { $id } — { $state ->
    [admin] администратор
    [viewer] видит расходы
    [in] может со мной говорить
    [requested] просит доступ
    [refused] отказано
    [blocked] заблокирован
   *[out] снаружи
}
access-role = { $role ->
    [admin] Администратор может всё, и ему сообщается о том, что исправить может только он.
    [viewer] Наблюдатель видит расходы и ничего не меняет.
   *[none] Роли нет: чужих расходов не видит и ничего не меняет.
}
access-spend = Расходы
role-make-admin = Сделать администратором
role-make-viewer = Сделать наблюдателем
role-take = Снять роль
role-now-admin = Теперь вы администратор этого бота. Что вы можете, покажет /help.
role-now-viewer = Теперь вам видны расходы: /spend, /balance. Остальное — в /help.
role-now-none = У вас здесь больше нет роли. Всё остальное как прежде.
role-fixed = Администратором этого человека делают настройки (ADMIN_IDS), изменить это я не могу.
role-blocked = У заблокированного не может быть роли. Сначала впустите его.
role-last-admin = Вы последний администратор. Сначала сделайте администратором кого-нибудь ещё.
user-unknown = Никого с таким именем или id не знаю. Кто мне не писал, тот мне не знаком.
block-usage = /block @имя или /block id блокирует; /block @имя off впускает снова.
block-done = { $name }, { $id }: доступ закрыт, я больше не отвечаю. Что ждало, отменено; что оплачено и делается, дойдёт.
block-off-done = { $name }, { $id }: доступ снова открыт.
block-not = { $name }, { $id }: доступ и так не закрыт.
block-admin = Администратора заблокировать нельзя. Сначала снимите роль.
admins-only = Это могут только администраторы.
users-all = Все, кто мне писал; сверху — кто был здесь последним:
users-found = Подходят под «{ $search }»:
users-none = Никого.
users-line = { $user }; был(а) здесь: { $seen }; за этот месяц: { $month }
users-search-long = Слишком длинно для поиска. Хватит части имени, @имени или id.
stats-none = нет
stats-users = Люди: всего { $all }, сегодня { $today }, за последние семь дней { $week }.
stats-turns = Ответы за последние 24 часа: { $turns }.
stats-turn = { $state ->
    [streaming] пишутся
    [finished] закончены
    [stopped] остановлены
    [failed] не получились
    [interrupted] прерваны
    [held] ждут решения автора
   *[declined] отклонены
} { $count }
stats-orders =
    Заказы в работе: { $open }.
    Закончены за последние 24 часа: { $ended }.
stats-order = { $state ->
    [waiting] ждут других заказов автора
    [placed] в очереди
    [submitted] уходят в сервис
    [generating] делаются
    [ready] уже в пути
    [delivered] доставлены
    [cancelled] отменены
   *[failed] не получились
} { $count }
stats-oldest = Самый старый из тех, что в работе, сделан { $minutes ->
    [one] { $minutes } минуту
    [few] { $minutes } минуты
   *[many] { $minutes } минут
} назад.
stats-errors = Ошибки за последние 24 часа:
stats-error = { $kind ->
    [chat] чаты
    [video] ролики
    [image] картинки
   *[sound] звуки
}: { $code } — { $count }
stats-queues = Сейчас ждут сервиса:
stats-queue = { $kind ->
    [chat] чаты
    [video] ролики
    [image] картинки
   *[sound] звуки
}: ждут { $waiting }, спрошено { $asked }{ $waiting ->
    [0] {""}
   *[other] , первый ждёт { $minutes } мин
}
viewers-only = Это могут только администраторы и те, кому видны расходы.

## Language

language-choose = На каком языке мне с вами говорить?
language-telegram = Как в Telegram
language-chosen = Теперь я говорю с вами по-русски.

## Everything else in a chat

page-previous = « Назад
page-next = Ещё »
text-only = Пока я читаю только текст: напишите мне, пожалуйста, словами.
text-only-photo = Пока я читаю только текст, но могу сделать из фото ролик: ответьте на него командой /video и несколькими словами о том, что должно произойти.
prompt-missing = Да? Напишите вопрос после моего имени, пожалуйста.
button-stale = Эта кнопка больше ничего не делает.
command-private = Эта команда работает только в нашем личном чате.

## The page of admins and viewers

dashboard-menu = Расходы
dashboard =
    Страница с расходами, лимитами и доступом.

    Ссылка для браузера впускает один раз, в течение 5 минут. Не передавайте её: она впустит того, кто откроет её первым.
dashboard-open-telegram = Открыть в Telegram
dashboard-open-browser = Открыть в браузере
dashboard-browser =
    Страница с расходами, лимитами и доступом:
    { $link }

    Ссылка впускает один раз, в течение 5 минут. Не передавайте её: она впустит того, кто откроет её первым. Чтобы открывать страницу прямо в Telegram, задайте в PUBLIC_URL адрес с https.
dashboard-here =
    Страница с расходами, лимитами и доступом — на том компьютере, где я работаю:
    { $link }

    Ссылка впускает один раз, в течение 5 минут. Чтобы открывать страницу с других устройств или прямо в Telegram, задайте в PUBLIC_URL адрес с https, который ведёт ко мне.

## Drafts

drafts-choose =
    { $chosen ->
        [on] Сейчас черновики включены.
       *[off] Сейчас черновики выключены.
    }

    /drafts on — в личном чате ответ плавно растёт в черновике и, когда готов, становится сообщением.
    /drafts off — ответ растёт прямо в сообщении.
drafts-on = Теперь ответы растут в черновике, если ваш Telegram показывает черновики.
drafts-off = Теперь ответы растут в своём сообщении.
