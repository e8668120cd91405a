/* SPDX-License-Identifier: MIT */
/* agents/docs/formats/xml_walk.c - libxml2's reader, one node after the other. Failure: whatever
 * the reader refuses; its own limits of depth, names and expansion stay on. */
#include "agents/docs/formats/xml_walk.h"

#include <limits.h>
#include <string.h>

#include <libxml/xmlreader.h>

struct xml_walk {
    xmlTextReaderPtr reader;
    xmlChar *value; /* of the attribute asked for last */
};

static struct str str_of_xml(const xmlChar *text)
{
    return text == NULL ? (struct str){NULL, 0} : str_of((const char *)text);
}

struct str xml_walk_attribute(struct xml_walk *walk, const char *name)
{
    struct str found = {NULL, 0};
    xmlFree(walk->value);
    walk->value = NULL;
    while (xmlTextReaderMoveToNextAttribute(walk->reader) == 1) {
        if (strcmp((const char *)xmlTextReaderConstLocalName(walk->reader), name) != 0)
            continue;
        walk->value = xmlTextReaderValue(walk->reader);
        found = str_of_xml(walk->value);
        break;
    }
    (void)xmlTextReaderMoveToElement(walk->reader);
    return found;
}

static void tell(struct xml_walk *walk, const struct xml_walk_hooks *hooks)
{
    struct str name = str_of_xml(xmlTextReaderConstLocalName(walk->reader));
    switch (xmlTextReaderNodeType(walk->reader)) {
    case XML_READER_TYPE_ELEMENT: {
        int is_empty = xmlTextReaderIsEmptyElement(walk->reader);
        if (hooks->on_begin != NULL)
            hooks->on_begin(hooks->owner, walk, name);
        if (is_empty == 1 && hooks->on_end != NULL)
            hooks->on_end(hooks->owner, name);
        break;
    }
    case XML_READER_TYPE_END_ELEMENT:
        if (hooks->on_end != NULL)
            hooks->on_end(hooks->owner, name);
        break;
    case XML_READER_TYPE_TEXT:
    case XML_READER_TYPE_CDATA:
    case XML_READER_TYPE_SIGNIFICANT_WHITESPACE:
        if (hooks->on_text != NULL)
            hooks->on_text(hooks->owner, str_of_xml(xmlTextReaderConstValue(walk->reader)));
        break;
    default:
        break;
    }
}

enum err_code xml_walk_run(struct str text, const struct xml_walk_hooks *hooks, struct err *err)
{
    int more = -1;
    struct xml_walk walk = {NULL, NULL};
    if (text.len <= INT_MAX)
        walk.reader = xmlReaderForMemory(text.at, (int)text.len, NULL, NULL,
                                         XML_PARSE_NONET | XML_PARSE_NOERROR | XML_PARSE_NOWARNING);
    if (walk.reader == NULL)
        return err_set(err, ERR_NO_MEMORY, "no memory to read a part of it");
    while ((more = xmlTextReaderRead(walk.reader)) == 1)
        tell(&walk, hooks);
    xmlFree(walk.value);
    xmlFreeTextReader(walk.reader);
    return more == 0 ? ERR_OK : err_set(err, ERR_INVALID, "a part of it is no well-formed XML");
}
