/** The texts of mails, by their English ones. */
export const texts = {
  de: {
    ":author created “:page”": ":author hat „:page“ angelegt",
    ":author changed “:page”": ":author hat „:page“ geändert",
    ":author commented on “:page”": ":author hat „:page“ kommentiert",
    ":author replied to your comment on “:page”": ":author hat auf Ihren Kommentar zu „:page“ geantwortet",
    ":author mentioned you in “:page”": ":author hat Sie in „:page“ erwähnt",
    ":count changes": ":count Änderungen",
    ":count notifications of :instance": ":count Benachrichtigungen von :instance",
    "And :count more: :link": "Und :count weitere: :link",
    "Get no more such mails:": "Keine solchen Mails mehr erhalten:",
    Somebody: "Jemand",
    "You get this mail since you watch, own or were mentioned in these pages. Choose what you are told:":
      "Sie erhalten diese Mail, weil Sie diese Seiten beobachten, sie Ihnen gehören oder Sie darin erwähnt wurden. Was Sie erfahren, wählen Sie hier:",
  },
  fr: {
    ":author created “:page”": ":author a créé « :page »",
    ":author changed “:page”": ":author a modifié « :page »",
    ":author commented on “:page”": ":author a commenté « :page »",
    ":author replied to your comment on “:page”": ":author a répondu à votre commentaire sur « :page »",
    ":author mentioned you in “:page”": ":author vous a mentionné dans « :page »",
    ":count changes": ":count modifications",
    ":count notifications of :instance": ":count notifications de :instance",
    "And :count more: :link": "Et :count autres : :link",
    "Get no more such mails:": "Ne plus recevoir ces messages :",
    Somebody: "Quelqu’un",
    "You get this mail since you watch, own or were mentioned in these pages. Choose what you are told:":
      "Vous recevez ce message parce que vous suivez ces pages, qu’elles vous appartiennent ou que vous y êtes mentionné. Choisissez ce dont vous êtes informé :",
  },
} as const;
